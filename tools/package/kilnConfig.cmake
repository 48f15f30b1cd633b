# find_package(kiln): the libraries as kiln::kiln (shared) and kiln::kiln_static, the command as
# kiln::command, and kiln_bake() of kilnBake.cmake. Everything is found from where this file lies, so the
# installed tree may be moved as a whole.
get_filename_component(_kiln_lib "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
get_filename_component(_kiln_prefix "${_kiln_lib}/.." ABSOLUTE)
if(NOT EXISTS "${_kiln_prefix}/include/kiln.h") # lib/x86_64-linux-gnu
  get_filename_component(_kiln_prefix "${_kiln_prefix}/.." ABSOLUTE)
endif()
# Nothing is looked for, and nothing kept in the cache: a build folder whose prefix changes has command, header and
# libraries of the new one, and never of two versions.
set(kiln_INCLUDE_DIR "${_kiln_prefix}/include")
if(NOT EXISTS "${kiln_INCLUDE_DIR}/kiln.h")
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
set(_kiln_command "${_kiln_prefix}/bin/kiln${CMAKE_EXECUTABLE_SUFFIX}")
if(EXISTS "${_kiln_command}" AND NOT TARGET kiln::command)
  add_executable(kiln::command IMPORTED)
  set_target_properties(kiln::command PROPERTIES IMPORTED_LOCATION "${_kiln_command}")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/kilnBake.cmake")
