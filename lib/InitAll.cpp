//===- InitAll.cpp - register everything that delta uses --------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The only list of dialects and passes. A new dialect, pass group or pipeline
/// is added here and reaches every tool.
///
//===----------------------------------------------------------------------===//

#include "delta/InitAll.h"

#include "delta/Conversion/Passes.h"
#include "delta/Dialect/Cuda/IR/CudaDialect.h"
#include "delta/Dialect/Cuda/Transforms/Passes.h"
#include "delta/Dialect/Delta/IR/DeltaDialect.h"
#include "delta/Dialect/Delta/Transforms/Passes.h"
#include "delta/Dialect/Plan/IR/Plan.h"
#include "delta/Dialect/Tile/IR/Tile.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"
#include "delta/Pipelines/Cpu.h"
#include "delta/Pipelines/Final.h"
#include "delta/Pipelines/Plan.h"
#include "delta/Pipelines/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void delta::registerAllDialects(DialectRegistry &registry) {
  registry
      .insert<delta::DeltaDialect, arith::ArithDialect, func::FuncDialect,
              linalg::LinalgDialect, math::MathDialect, memref::MemRefDialect,
              scf::SCFDialect, tensor::TensorDialect, delta::plan::PlanDialect,
              delta::tile::TileDialect, delta::cuda::CudaDialect>();
  // How upstream ops become ops on buffers, and who owns those.
  arith::registerBufferDeallocationOpInterfaceExternalModels(registry);
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  cf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  scf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
}

void delta::registerAllPasses() {
  delta::registerConversionPasses();
  delta::registerDeltaPasses();
  delta::tile::registerTilePasses();
  delta::cuda::registerCudaPasses();
  delta::registerPlanPasses();
  registerCpuPipeline();
  registerTilePipelines();
  registerFinalPipelines();
  registerCanonicalizerPass();
  registerCSEPass();
  registerLoopInvariantCodeMotionPass();
  registerSCCPPass();
}
