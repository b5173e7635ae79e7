# Flags every target of ours gets. Third-party headers come in as SYSTEM.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

add_library(ki_flags INTERFACE)
target_include_directories(ki_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(ki_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
  -Wswitch-enum -Wundef -fno-omit-frame-pointer>
  # g++ 12 warns of an overlap in every optimised `"text" + std::string` (GCC bug 105651).
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
# At -O3 g++ 12 takes the value inside an empty std::optional for a use of it (bug 80635).
target_compile_options(ki_flags INTERFACE
  $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>,$<COMPILE_LANGUAGE:CXX>>:-Wno-maybe-uninitialized>)
target_compile_definitions(ki_flags INTERFACE $<$<NOT:$<CONFIG:Release>>:_GLIBCXX_ASSERTIONS>)
if(KI_SANITIZE)
  target_compile_options(ki_flags INTERFACE -fsanitize=${KI_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(ki_flags INTERFACE -fsanitize=${KI_SANITIZE})
endif()
