# kiln_bake(NAME MODELS FILE... [OUTPUT_DIRECTORY DIR] [BASE_DIRECTORY DIR] [OPTIONS OPTION...] [ALL])
# kiln_bake(NAME MANIFEST FILE [OUTPUT_DIRECTORY DIR] [OPTIONS OPTION...] [ALL])
#
# Targets that bake models; the manual page kiln-cmake(7) has every argument.

# Paths in depfiles are relative to the folder of the project (NEW), which CMake translates for Ninja.
# A function has the policies of the place where it is defined, so a project that asks for those of
# an older CMake has this one too; otherwise Ninja would not find the output in its depfile and bake
# everything at each build.
if(POLICY CMP0116)
  cmake_policy(SET CMP0116 NEW)
endif()

# What no generator can write into its rules is refused here by name, and not found as a strange message
# of make or ninja, or as a rule that is dirty for ever.
function(_kiln_check_name name)
  if(name MATCHES "[#;\n\r\t\\\\:*?\"<>|%=&'^`[]")
    message(FATAL_ERROR "kiln_bake: '${name}' has one of # ; : * ? \" < > | \\ % = & ' ^ ` [, a tab or an end of a line, which "
                        "make or ninja can't have in the name of a file; rename it")
  endif()
endfunction()

function(kiln_bake name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ALL" "OUTPUT_DIRECTORY;BASE_DIRECTORY;MANIFEST"
                        "MODELS;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS OR (arg_MODELS AND arg_MANIFEST) OR NOT (arg_MODELS OR arg_MANIFEST)
     OR (arg_MANIFEST AND arg_BASE_DIRECTORY))
    message(FATAL_ERROR "kiln_bake(NAME MODELS FILE... [OUTPUT_DIRECTORY DIR] [BASE_DIRECTORY DIR] "
                        "[OPTIONS OPTION...] [ALL]) or kiln_bake(NAME MANIFEST FILE "
                        "[OUTPUT_DIRECTORY DIR] [OPTIONS OPTION...] [ALL]), not '${ARGN}'")
  endif()
  if(NOT TARGET kiln::command)
    message(FATAL_ERROR "kiln_bake: the command kiln was not installed beside kilnConfig.cmake")
  endif()
  set(all)
  if(arg_ALL)
    set(all ALL)
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}")
  if(IS_ABSOLUTE "${arg_OUTPUT_DIRECTORY}")
    set(folder "${arg_OUTPUT_DIRECTORY}")
  elseif(arg_OUTPUT_DIRECTORY)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${arg_OUTPUT_DIRECTORY}")
  endif()

  # Which files a manifest comes to is known when it is read, and may change without it: so it is read in
  # each build. What has not changed is not baked.
  if(arg_MANIFEST)
    get_filename_component(manifest "${arg_MANIFEST}" ABSOLUTE)
    set(output)
    if(arg_OUTPUT_DIRECTORY)
      set(output -o "${folder}")
    endif()
    add_custom_target(${name} ${all}
      COMMAND kiln::command bake --if-changed ${arg_OPTIONS} ${output} -m "${manifest}"
      COMMENT "Baking what ${arg_MANIFEST} lists"
      VERBATIM)
    return()
  endif()

  # Files that models refer to may lie anywhere in the project, whose build folder is another.
  set(side_files)
  if(NOT "${arg_OPTIONS}" MATCHES "--side-files")
    set(side_files --side-files "${CMAKE_SOURCE_DIR}")
  endif()
  # make does not compare commands: other options change a file that all rules depend on.
  set(options "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.options")
  set(written)
  if(EXISTS "${options}")
    file(READ "${options}" written)
  endif()
  if(NOT written STREQUAL "${side_files};${arg_OPTIONS}\n")
    file(WRITE "${options}" "${side_files};${arg_OPTIONS}\n")
  endif()
  # CMake 3.25 at least adds what a depfile says to what it said before, for Unix Makefiles, so that a side
  # file that is gone would have its model baked in each build. Without this file all depfiles are read anew.
  # An output that is left as it was is touched, else make would run its rule in every build; ninja looks at
  # times again (restat).
  set(forget)
  if(CMAKE_GENERATOR MATCHES "Makefiles")
    set(forget COMMAND "${CMAKE_COMMAND}" -E rm -f
        "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/compiler_depend.internal")
  endif()
  set(outputs)
  foreach(model IN LISTS arg_MODELS)
    _kiln_check_name("${model}")
    get_filename_component(input "${model}" ABSOLUTE)
    get_filename_component(stem "${model}" NAME_WLE)
    set(below)
    if(arg_BASE_DIRECTORY)
      get_filename_component(base "${arg_BASE_DIRECTORY}" ABSOLUTE)
      get_filename_component(in "${input}" DIRECTORY)
      file(RELATIVE_PATH below "${base}" "${in}")
      if(below MATCHES "^\\.\\.(/|$)")
        message(FATAL_ERROR "kiln_bake: '${model}' is not below BASE_DIRECTORY ${base}")
      endif()
      if(below)
        set(below "${below}/")
      endif()
    endif()
    set(output "${folder}/${below}${stem}.kiln")
    if(output IN_LIST outputs)
      message(FATAL_ERROR "kiln_bake: two models would be baked into ${output}; BASE_DIRECTORY keeps "
                          "the folders of models")
    endif()
    string(REPLACE "/" "." unique "${below}${stem}")
    set(depfile "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.${unique}.d")
    get_filename_component(made "${output}" DIRECTORY)
    # With several configurations each has rules of its own, and a depfile beside its output.
    if(output MATCHES "\\$<")
      set(depfile "${output}.d")
    endif()
    set(after ${forget})
    if(forget)
      list(APPEND after COMMAND "${CMAKE_COMMAND}" -E touch "${output}")
    endif()
    add_custom_command(
      OUTPUT "${output}"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${made}"
      COMMAND kiln::command bake --if-changed ${side_files} ${arg_OPTIONS} -o "${output}" --depfile "${depfile}"
              --depfile-programs "${input}"
      ${after}
      DEPENDS "${input}" "${options}" kiln::command
      DEPFILE "${depfile}"
      COMMENT "Baking ${below}${stem}.kiln"
      VERBATIM)
    list(APPEND outputs "${output}")
  endforeach()
  add_custom_target(${name} ${all} DEPENDS ${outputs})
  set_target_properties(${name} PROPERTIES KILN_FILES "${outputs}")
endfunction()
