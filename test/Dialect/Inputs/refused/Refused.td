def Refuses : Pass<"convert-delta-to-tile"> {
  let description = [{
    ```mlir
    func.func @f(%k: memref<64x64xbf16>, %s: memref<64x64xf32>) attributes {delta.plans = {chain = [
        #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>]}} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %G = arith.constant dense<0.0> : tensor<64xf32>
      scf.forall (%b) in (1) {
        %S_end = scf.for %c = %c0 to %c1 step %c1 iter_args(%S = %zero) -> tensor<64x64xf32> {
          %K = delta.load %k[%c0, %c0] dims [0, 1] : memref<64x64xbf16> -> tensor<64x64xf32>
          %KS = delta.read %K, %S decay(%G : tensor<64xf32>) {prec = #delta.prec<bf16>}
                  : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
          %S1 = delta.update %S, %K, %KS {prec = #delta.prec<bf16>}
                  : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
          scf.yield %S1 : tensor<64x64xf32>
        }
        delta.store %S_end, %s[%c0, %c0] dims [0, 1] : tensor<64x64xf32>, memref<64x64xf32>
      } {delta.nest = #delta.nest<kind = scan, name = "chain", axes = ["batch"], carries = state>}
      return
    }
    ```
  }];
}
def LeavesAlone : Pass<"tile-select-inverse-precision"> {
  let description = [{
    ```mlir
    func.func @f(%A: tensor<64x64xf32>) -> tensor<64x64xf32> {
      %M = tile.tri_inverse %A {entry_bound = 2.0 : f32} : tensor<64x64xf32>
      return %M : tensor<64x64xf32>
    }
    ```
  }];
}
def MakesSomethingElse : Pass<"delta-factor-decay"> {
  let description = [{
    ```mlir
    func.func @f(%S: tensor<64x64xf32>, %K: tensor<64x64xf32>, %G: tensor<64xf32>) -> tensor<64x64xf32> {
      %x = delta.read %K, %S decay(%G : tensor<64xf32>) : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      return %x : tensor<64x64xf32>
    }
    // becomes
    %x = delta.read %K, %S : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %y = delta.rowsum %x : tensor<64x64xf32> -> tensor<64xf32>
    ```
  }];
}
