# ki_module(NAME [DEP...]) builds src/NAME/*.cc as library ki_NAME, and its *_test.cc as ki_NAME_test.
# A module may include headers of itself and of its DEPs only, and a DEP stands above it. tests/tidy
# reads these same lines, so the table, the link graph and the includes cannot drift apart.
# src/cli/main.cc is the program; everything else in src/cli is the library ki_cli.
find_package(GTest REQUIRED)
if(KI_SANITIZE)
  # What is looked for is in what the tests call; the tests themselves compile twice as fast unoptimised.
  target_compile_options(GTest::gtest INTERFACE -O0)
endif()

# For tests and benchmarks: where files are (tests/support/places.h).
add_library(ki_places STATIC ${PROJECT_SOURCE_DIR}/tests/support/places.cc)
target_link_libraries(ki_places PRIVATE ki_flags)
target_include_directories(ki_places PUBLIC ${PROJECT_SOURCE_DIR}/tests)
target_compile_definitions(ki_places PRIVATE KI_SOURCE_DIR="${PROJECT_SOURCE_DIR}")

function(ki_module name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.h)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$|/main\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(TRANSFORM ARGN PREPEND ki_ OUTPUT_VARIABLE deps)

  if(sources)
    add_library(ki_${name} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(ki_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_sources(ki_${name} ${scope} FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${headers})
  target_link_libraries(ki_${name} ${scope} ki_flags ${deps})

  if(tests)
    add_executable(ki_${name}_test ${tests})
    target_link_libraries(ki_${name}_test PRIVATE ki_${name} ki_places GTest::gmock
      GTest::gtest_main)
    add_test(NAME unit.${name} COMMAND ki_${name}_test)
    set_tests_properties(unit.${name} PROPERTIES LABELS unit)
  endif()
endfunction()

# ki_links(NAME LIB...) gives module NAME the third-party libraries it alone may use.
function(ki_links name)
  get_target_property(type ki_${name} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    target_link_libraries(ki_${name} INTERFACE ${ARGN})
  else()
    target_link_libraries(ki_${name} PUBLIC ${ARGN})
  endif()
endfunction()
