# MLIR's headers are most of what the compiler reads for each file of lib/: a
# precompiled header halves the time of a build. `delta_precompile_headers(TARGET...)`
# lets libraries that link MLIR share one.

option(DELTA_PRECOMPILE_HEADERS "compile the headers that most files include once" ON)

function(delta_precompile_headers)
  if(NOT DELTA_PRECOMPILE_HEADERS)
    return()
  endif()
  if(NOT TARGET DeltaPrecompiledHeaders)
    file(WRITE "${CMAKE_BINARY_DIR}/precompiled_headers.cpp" "")
    add_library(DeltaPrecompiledHeaders OBJECT "${CMAKE_BINARY_DIR}/precompiled_headers.cpp")
    llvm_update_compile_flags(DeltaPrecompiledHeaders)
    set_target_properties(DeltaPrecompiledHeaders PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_precompile_headers(DeltaPrecompiledHeaders PRIVATE
      <mlir/Dialect/Arith/IR/Arith.h>
      <mlir/Dialect/Func/IR/FuncOps.h>
      <mlir/Dialect/Math/IR/Math.h>
      <mlir/Dialect/MemRef/IR/MemRef.h>
      <mlir/Dialect/SCF/IR/SCF.h>
      <mlir/Dialect/Tensor/IR/Tensor.h>
      <mlir/IR/ImplicitLocOpBuilder.h>
      <mlir/IR/Matchers.h>
      <mlir/IR/PatternMatch.h>
      <mlir/Pass/Pass.h>
      <llvm/ADT/TypeSwitch.h>
    )
    if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
      # ccache cannot reuse what depends on a time.
      target_compile_options(DeltaPrecompiledHeaders PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    endif()
  endif()
  foreach(target ${ARGN})
    target_precompile_headers(${target} REUSE_FROM DeltaPrecompiledHeaders)
  endforeach()
endfunction()
