# How everything here is compiled: MLIR 22.1 from the distribution, shared libraries, ccache and lld where present, one precompiled header.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE) # without -O2 the runtime needs libstdc++, which executables have not
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2") # assertions stay on: a broken invariant of ours must stop, not miscompile
set(CMAKE_C_FLAGS_RELEASE "-O2")

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()
add_link_options(-fuse-ld=lld)

if(NOT DEFINED MLIR_DIR)
  set(MLIR_DIR /usr/lib/llvm-22/lib/cmake/mlir)
endif()
find_package(MLIR CONFIG QUIET HINTS ${MLIR_DIR})
if(NOT MLIR_FOUND OR NOT LLVM_PACKAGE_VERSION MATCHES "^22\\.1\\.")
  if(MLIR_FOUND)
    set(found "found ${LLVM_PACKAGE_VERSION}")
  else()
    set(found "found none")
  endif()
  message(FATAL_ERROR "Heddle needs MLIR 22.1, ${found}. On Debian 12 or 13, tools/test and tools/quickstart install it "
    "(libmlir-22-dev mlir-22-tools llvm-22-dev liblld-22-dev); elsewhere give -DMLIR_DIR=<prefix>/lib/cmake/mlir")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
include_directories(${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
link_directories(${LLVM_LIBRARY_DIRS})
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON) # Debian keeps libMLIR.so where no loader looks
find_package(fmt REQUIRED)

# -fno-rtti is not set: Debian's LLVM has RTTI. Exceptions are used by libraries at the edge (JSON, CLI11) and stay inside the file that meets them.
set(HEDDLE_WARNINGS -Wall -Wextra -Wno-unused-parameter)

# The sanitizers watch what reads the user's files: text, configuration, weights, arrays, tokenizers. The dialect and
# the stages see IR alone and stay as they are in a release, so they come out of the compiler cache. vptr would need the type information of all of MLIR.
option(HEDDLE_SANITIZE "instrument what reads the user's files with the address and undefined-behaviour sanitizers" OFF)
set(HEDDLE_SANITIZER)
set(HEDDLE_NOT_SANITIZED HeddleArena HeddleDialect HeddleGraph HeddleLinalg HeddleLoops HeddleMemory HeddleNative)
if(HEDDLE_SANITIZE)
  set(HEDDLE_SANITIZER -O1 -gline-tables-only -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize=vptr -fno-sanitize-recover=all)
  add_link_options(-fsanitize=address,undefined)
  add_library(HeddleSanitizerOptions OBJECT ${CMAKE_CURRENT_LIST_DIR}/SanitizerOptions.cpp)
endif()

# heddle_precompile(target): one precompiled header of MLIR's core for all, and one more for what the sanitizers watch.
function(heddle_precompile name)
  set(from HeddlePrecompiled)
  if(HEDDLE_SANITIZE AND NOT name IN_LIST HEDDLE_NOT_SANITIZED)
    set(from HeddlePrecompiledSanitized)
  endif()
  target_precompile_headers(${name} REUSE_FROM ${from})
endfunction()

# heddle_library(Name sources... LINK libraries... [PLAIN]): a static library of this project. PLAIN: no MLIR headers, so no precompiled header.
function(heddle_library name)
  cmake_parse_arguments(arg "PLAIN" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${arg_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE ${HEDDLE_WARNINGS})
  if(NOT name IN_LIST HEDDLE_NOT_SANITIZED)
    target_compile_options(${name} PRIVATE ${HEDDLE_SANITIZER})
  endif()
  target_link_libraries(${name} PUBLIC ${arg_LINK} fmt::fmt)
  if(NOT arg_PLAIN)
    target_link_libraries(${name} PUBLIC MLIR LLVM)
    heddle_precompile(${name})
    add_dependencies(${name} HeddleDialectTables ${arg_DEPENDS})
  endif()
endfunction()

# heddle_program(name sources... LINK libraries...): a program in build/<preset>/bin.
function(heddle_program name)
  cmake_parse_arguments(arg "PLAIN" "" "LINK" ${ARGN})
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE ${HEDDLE_WARNINGS} ${HEDDLE_SANITIZER})
  target_link_libraries(${name} PRIVATE ${arg_LINK} fmt::fmt)
  if(HEDDLE_SANITIZE)
    target_link_libraries(${name} PRIVATE HeddleSanitizerOptions)
  endif()
  if(NOT arg_PLAIN)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF) # a precompiled header of libraries (-fPIC) does not serve -fPIE
    target_compile_options(${name} PRIVATE -fPIC)
    heddle_precompile(${name})
    add_dependencies(${name} HeddleDialectTables)
  endif()
endfunction()

# heddle_passes(Stage): Passes.h.inc from the Passes.td of the current folder.
function(heddle_passes stage)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name=Heddle${stage})
  add_public_tablegen_target(Heddle${stage}Passes)
endfunction()
