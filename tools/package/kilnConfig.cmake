# find_package(kiln): the libraries as kiln::kiln (shared) and kiln::kiln_static, the command as
# kiln::command, and kiln_bake() of kilnBake.cmake. Everything is found from where this file lies, so the
# installed tree may be moved as a whole.
get_filename_component(_kiln_lib "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
get_filename_component(_kiln_prefix "${_kiln_lib}/.." ABSOLUTE)
if(NOT EXISTS "${_kiln_prefix}/include/kiln.h") # lib/x86_64-linux-gnu
  get_filename_component(_kiln_prefix "${_kiln_prefix}/.." ABSOLUTE)
endif()
find_path(kiln_INCLUDE_DIR kiln.h PATHS "${_kiln_prefix}/include" NO_DEFAULT_PATH
          NO_CMAKE_FIND_ROOT_PATH)
find_program(kiln_COMMAND kiln PATHS "${_kiln_prefix}/bin" NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
mark_as_advanced(kiln_INCLUDE_DIR kiln_COMMAND)

if(NOT kiln_INCLUDE_DIR)
  set(kiln_FOUND FALSE)
  set(kiln_NOT_FOUND_MESSAGE "kiln.h is not in ${_kiln_prefix}/include")
  return()
endif()

if(EXISTS "${_kiln_lib}/libkiln.so" AND NOT TARGET kiln::kiln)
  add_library(kiln::kiln SHARED IMPORTED)
  set_target_properties(kiln::kiln PROPERTIES IMPORTED_LOCATION "${_kiln_lib}/libkiln.so"
                        INTERFACE_INCLUDE_DIRECTORIES "${kiln_INCLUDE_DIR}")
endif()
if(EXISTS "${_kiln_lib}/libkiln.a" AND NOT TARGET kiln::kiln_static)
  add_library(kiln::kiln_static STATIC IMPORTED)
  set_target_properties(kiln::kiln_static PROPERTIES IMPORTED_LOCATION "${_kiln_lib}/libkiln.a"
                        INTERFACE_INCLUDE_DIRECTORIES "${kiln_INCLUDE_DIR}"
                        INTERFACE_LINK_LIBRARIES "z;m")
endif()
if(kiln_COMMAND AND NOT TARGET kiln::command)
  add_executable(kiln::command IMPORTED)
  set_target_properties(kiln::command PROPERTIES IMPORTED_LOCATION "${kiln_COMMAND}")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/kilnBake.cmake")
