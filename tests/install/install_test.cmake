# Run by ctest, see CMakeLists.txt.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(failed)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${WORK}/installed)

# What was installed may be moved, and knows nothing of the machine that it was built on.
file(RENAME ${WORK}/installed ${WORK}/moved)
file(GLOB_RECURSE configs ${WORK}/moved/*.cmake)
foreach(config IN LISTS configs)
  file(READ ${config} text)
  string(REGEX MATCH "INTERFACE_[A-Z_]+ \"[^\n]*/usr/[^\n]*" found "${text}")
  foreach(path ${PROJECT} ${BUILD} ${WORK} ${found})
    string(FIND "${text}" "${path}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${config} names ${path}")
    endif()
  endforeach()
endforeach()

# consume(NAME FLAG...): builds the project with further flags for cmake, and runs it.
function(consume name)
  set(folder ${WORK}/${name})
  run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${folder} -G ${GENERATOR}
      -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=${CONFIG}
      "-DCMAKE_PREFIX_PATH=${WORK}/moved\;${PACKAGES}" ${ARGN})
  run(${CMAKE_COMMAND} --build ${folder})
  run(${folder}/consumer)
  if(NOT output STREQUAL "3.000\n")
    message(FATAL_ERROR "The project '${name}' printed: ${output}")
  endif()
endfunction()

consume(all-floors)
consume(one-floor-without-torch -DFLOORS=graph -DCMAKE_DISABLE_FIND_PACKAGE_Torch=ON)
