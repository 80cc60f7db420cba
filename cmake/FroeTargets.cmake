# How a library, a dialect, a tool and a unit test are declared. A folder's CMakeLists.txt is then one
# line of data: its name, and the layers below it that it may include.

add_compile_options(-Wall -Wextra -Wno-unused-parameter)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_link_options(-fuse-ld=lld)
endif()

# Code that includes MLIR's headers: their flags, their include paths, and one shared precompiled header.
add_library(froe_mlir_settings INTERFACE)
target_include_directories(froe_mlir_settings SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_include_directories(froe_mlir_settings INTERFACE
  ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/runtime/include)
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(froe_mlir_settings INTERFACE ${llvm_definitions})

# MLIR 22's headers do not compile as C++23 on Debian's libstdc++ (an incomplete type in a constexpr destructor), so
# this code is C++20 that is told to have the library of C++23: std::expected above all.
function(froe_mlir_language target)
  set_target_properties(${target} PROPERTIES CXX_STANDARD 20)
  target_compile_options(${target} PRIVATE -Wno-builtin-macro-redefined -D__cplusplus=202302L)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp") # ccache compares contents instead
  endif()
endfunction()

add_library(froe_pch OBJECT ${CMAKE_SOURCE_DIR}/cmake/Precompiled.cpp)
target_link_libraries(froe_pch PRIVATE froe_mlir_settings)
target_precompile_headers(froe_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/Precompiled.h)
froe_mlir_language(froe_pch)

function(froe_uses_mlir target)
  target_link_libraries(${target} PUBLIC froe_mlir_settings)
  target_precompile_headers(${target} REUSE_FROM froe_pch)
  # The precompiled header is position-independent code (-fPIC), where CMake gives executables -fPIE.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE) # -fPIE, CMake's choice for executables, does not fit the precompiled header
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  froe_mlir_language(${target})
endfunction()

# froe_library(Planning [MLIR] DEPS Cost Sharding): every .cpp of the folder and below, as library FroePlanning.
function(froe_library name)
  cmake_parse_arguments(ARG "MLIR" "" "DEPS;LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources) # a layer of headers only
    set(sources ${CMAKE_SOURCE_DIR}/cmake/Precompiled.cpp)
  endif()
  add_library(Froe${name} STATIC ${sources})
  target_include_directories(Froe${name} PUBLIC ${CMAKE_SOURCE_DIR}/include)
  foreach(dep ${ARG_DEPS})
    target_link_libraries(Froe${name} PUBLIC Froe${dep})
  endforeach()
  target_link_libraries(Froe${name} PUBLIC ${ARG_LINK})
  if(ARG_MLIR)
    froe_uses_mlir(Froe${name})
    add_dependencies(Froe${name} froe_tablegen)
  endif()
endfunction()

# froe_tool(froe-opt DEPS Transforms): an executable on top of the libraries, linked against the MLIR and LLVM dylibs.
function(froe_tool name)
  cmake_parse_arguments(ARG "" "" "DEPS;LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_executable(${name} ${sources})
  foreach(dep ${ARG_DEPS})
    target_link_libraries(${name} PRIVATE Froe${dep})
  endforeach()
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
  froe_uses_mlir(${name})
  add_dependencies(${name} froe_tablegen)
endfunction()

# froe_unit_test(Planning): every .cpp of the folder as one GoogleTest program, one ctest entry labelled `unit`.
function(froe_unit_test name)
  cmake_parse_arguments(ARG "" "LABEL" "DEPS;LINK" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_executable(Froe${name}Tests ${sources})
  foreach(dep ${ARG_DEPS})
    target_link_libraries(Froe${name}Tests PRIVATE Froe${dep})
  endforeach()
  target_link_libraries(Froe${name}Tests PRIVATE ${ARG_LINK} GTest::gtest_main GTest::gmock)
  add_test(NAME ${ARG_LABEL}-${name} COMMAND Froe${name}Tests)
  set_tests_properties(${ARG_LABEL}-${name} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT 300)
endfunction()

# froe_passes(Transforms): Passes.h.inc of the folder's Passes.td.
macro(froe_passes name)
  include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name Froe${name})
  add_public_tablegen_target(Froe${name}TableGen)
  add_dependencies(froe_tablegen Froe${name}TableGen)
endmacro()
