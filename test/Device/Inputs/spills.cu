// A kernel that cannot stay within its registers: 128 values live, at most 32
// registers a thread.
extern "C" __global__ void __launch_bounds__(1024, 2)
    spills(const float *from, float *to) {
  float x[128];
#pragma unroll
  for (int i = 0; i < 128; ++i)
    x[i] = from[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 128; ++i)
    to[i * 1024 + threadIdx.x] = x[127 - i] * x[i];
}
