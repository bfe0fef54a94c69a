// RUN: delta-opt %S/Inputs/local.mlir --emit=torch -o %t
// RUN: diff %S/Inputs/local.cu.txt %t/local.cu
// RUN: diff %S/Inputs/local.h.txt %t/local.h
// RUN: diff %S/Inputs/local_torch.cpp.txt %t/local_torch.cpp
// RUN: FileCheck %s --input-file=%t/local.json

// The artefact of a host function, to the letter; of the manifest, what is not a version or a hash.

// CHECK:      "name": "local",
// CHECK:      "spec_sha256": "{{[0-9a-f]+}}",
// CHECK:      "args_version": 1,
// CHECK-NEXT: "arrays": [
// CHECK:          "name": "q",
// CHECK-NEXT:     "field": "q",
// CHECK-NEXT:     "role": "argument",
// CHECK-NEXT:     "dtype": "bfloat16",
// CHECK-NEXT:     "shape": [
// CHECK-NEXT:       "batch",
// CHECK-NEXT:       "length",
// CHECK-NEXT:       4,
// CHECK-NEXT:       64
// CHECK-NEXT:     ],
// CHECK-NEXT:     "strides": "contiguous",
// CHECK-NEXT:     "alignment": 16
// CHECK:          "name": "o",
// CHECK-NEXT:     "field": "o",
// CHECK-NEXT:     "role": "result",
// CHECK:      "workspace_alignment": 256,
// CHECK-NEXT: "kernel_sets": [
// CHECK-NEXT:   {
// CHECK-NEXT:     "source": "local.cu",
// CHECK-NEXT:     "targets": [
// CHECK-NEXT:       "sm_80"
// CHECK-NEXT:     ],
// CHECK-NEXT:     "definitions": [],
// CHECK-NEXT:     "workspace": [
// CHECK:          "name": "P",
// CHECK-NEXT:     "dtype": "bfloat16",
// CHECK-NEXT:     "elements": "batch * ceildiv(length, 64) * 16384"
// CHECK:      "kernels": [
// CHECK:          "name": "local_prepare",
// CHECK:          "dynamic_shared_bytes": 24576,
// CHECK:          "name": "local_apply",
