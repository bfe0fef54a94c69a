cuda.file "broken.cu" {
  cuda.kernel @broken() attributes {threads = 32 : i64} {
    cuda.call "no_such_function"() : () -> ()
  }
}
