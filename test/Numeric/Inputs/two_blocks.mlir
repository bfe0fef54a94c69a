  // Two row blocks of one head; what they compute does not matter.
  func.func @main() {
    %qkvo = memref.alloc() : memref<1x128x1x64xbf16>
    %beta = memref.alloc() : memref<1x128x1xf32>
    tile.clear %qkvo : memref<1x128x1x64xbf16>
    tile.clear %beta : memref<1x128x1xf32>
    call @numeric(%qkvo, %qkvo, %qkvo, %beta, %qkvo)
        : (memref<1x128x1x64xbf16>, memref<1x128x1x64xbf16>, memref<1x128x1x64xbf16>,
           memref<1x128x1xf32>, memref<1x128x1x64xbf16>) -> ()
    return
  }
}
