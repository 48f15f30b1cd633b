# kiln_bake(NAME MODELS FILE... [OUTPUT_DIRECTORY DIR] [OPTIONS OPTION...] [ALL])
#
# A target NAME that bakes each model into DIR/STEM.kiln (DIR: the current binary folder), and again when
# the model or a file that it refers to changes, by a depfile: generators that take one are Ninja and,
# from CMake 3.20 on, Makefiles, Xcode and Visual Studio. OPTIONS are passed to `kiln bake`. With ALL it
# is part of the default target. The files are in the target's property KILN_FILES.
function(kiln_bake name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ALL" "OUTPUT_DIRECTORY" "MODELS;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_MODELS)
    message(FATAL_ERROR "kiln_bake(NAME MODELS FILE... [OUTPUT_DIRECTORY DIR] [OPTIONS OPTION...] "
                        "[ALL]), not '${ARGN}'")
  endif()
  if(NOT TARGET kiln::command)
    message(FATAL_ERROR "kiln_bake: the command kiln was not installed beside kilnConfig.cmake")
  endif()
  if(NOT arg_OUTPUT_DIRECTORY)
    set(arg_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  get_filename_component(folder "${arg_OUTPUT_DIRECTORY}" ABSOLUTE
                         BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  file(MAKE_DIRECTORY "${folder}")
  set(outputs)
  foreach(model IN LISTS arg_MODELS)
    get_filename_component(input "${model}" ABSOLUTE)
    get_filename_component(stem "${model}" NAME_WLE)
    set(output "${folder}/${stem}.kiln")
    if(output IN_LIST outputs)
      message(FATAL_ERROR "kiln_bake: two models would be baked into ${output}")
    endif()
    set(depfile "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.${stem}.d")
    add_custom_command(
      OUTPUT "${output}"
      COMMAND kiln::command bake ${arg_OPTIONS} -o "${output}" --depfile "${depfile}" "${input}"
      DEPENDS "${input}" kiln::command
      DEPFILE "${depfile}"
      COMMENT "Baking ${stem}.kiln"
      VERBATIM)
    list(APPEND outputs "${output}")
  endforeach()
  set(all)
  if(arg_ALL)
    set(all ALL)
  endif()
  add_custom_target(${name} ${all} DEPENDS ${outputs})
  set_target_properties(${name} PROPERTIES KILN_FILES "${outputs}")
endfunction()
