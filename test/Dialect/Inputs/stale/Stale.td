def NoSuchOp : Op<"sketch"> {
  let description = [{
    ```mlir
    %y = delta.rescale %x, %v : ..
    ```
  }];
}
def NoSuchOperand : Op<"whole"> {
  let description = [{
    ```mlir
    %y = delta.scale %x : tensor<64x64xf32>
    ```
  }];
}
def WrongType : Op<"types"> {
  let description = [{
    ```mlir
    %y = delta.scale %x, %v {axis = 0 : i64} : tensor<64x64xf32>, tensor<64xf32>
    %z = delta.rowsum %y : tensor<32x32xf32> -> tensor<32xf32>
    ```
  }];
}
