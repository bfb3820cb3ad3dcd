# Flags that every target of the project shares.
add_library(pdegcn_flags INTERFACE)
# Without -ffp-contract=off the compiler may join a product and a sum in one place and not in another,
# and two loops that compute the same thing would differ in their last bits.
target_compile_options(pdegcn_flags INTERFACE -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                       # A false alarm of GCC 12 on std::string concatenation.
                       $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
                       $<$<BOOL:${PDEGCN_WERROR}>:-Werror>)
if(PDEGCN_SANITIZE)
  target_compile_options(pdegcn_flags INTERFACE -fsanitize=${PDEGCN_SANITIZE}
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(pdegcn_flags INTERFACE -fsanitize=${PDEGCN_SANITIZE})
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers carry time stamps and macros that ccache otherwise refuses to look past.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      # The same sources in another folder are the same sources.
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=true ${CCACHE})
endif()

# pdegcn_floor(NAME SOURCES file... USES target... [INTERNALLY target...])
#
# One floor of the house: the static library pdegcn::NAME. USES names the floors and packages that its
# headers show, INTERNALLY those that only its sources see; it links to nothing else, and its test
# links the whole archive with these alone, so that a call to a floor above does not link.
function(pdegcn_floor name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;USES;INTERNALLY")
  add_library(pdegcn_${name} STATIC ${arg_SOURCES})
  add_library(pdegcn::${name} ALIAS pdegcn_${name})
  set_target_properties(pdegcn_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(pdegcn_${name} PUBLIC cxx_std_20)
  target_include_directories(pdegcn_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(pdegcn_${name} PUBLIC ${arg_USES} PRIVATE ${arg_INTERNALLY}
                        $<BUILD_INTERFACE:pdegcn_flags>)
  set_property(GLOBAL APPEND PROPERTY PDEGCN_FLOORS ${name})
endfunction()

# pdegcn_test(FLOOR SOURCES file... [USES target...])
#
# The tests of a floor as one program. Under ctest the properties are drawn from one fixed seed, so that
# a run can be repeated; the program itself, run by hand, draws others each time.
function(pdegcn_test floor)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;USES")
  add_executable(${floor}_test ${arg_SOURCES})
  target_include_directories(${floor}_test PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${floor}_test PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,pdegcn_${floor}> ${arg_USES}
                        pdegcn_flags rapidcheck GTest::gtest GTest::gtest_main)
  # Tests are compiled far more often than their loops run.
  target_compile_options(${floor}_test PRIVATE $<$<CONFIG:Release>:-O1>)
  if(${floor} MATCHES "^(graph|kernels|data|report)$")  # the others share the header of torch
    target_precompile_headers(${floor}_test PRIVATE <gtest/gtest.h> <rapidcheck.h>)
  endif()
  gtest_discover_tests(${floor}_test TEST_PREFIX ${floor}. DISCOVERY_TIMEOUT 120
                       PROPERTIES TIMEOUT 900 ENVIRONMENT "PDEGCN_DATA=${PDEGCN_TEST_DATA}"
                       ENVIRONMENT_MODIFICATION "RC_PARAMS=set:seed=1")
endfunction()
