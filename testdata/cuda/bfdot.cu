// Dot product of bf16 pairs. From sm_80 each thread multiplies and adds in bf16 (fma.rn.bf16x2);
// before, it widens to f32 and rounds by hand at the end. A block's sum is made in f32 by shuffles.
__device__ __forceinline__ float low(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ __forceinline__ float high(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }

#if __CUDA_ARCH__ >= 800
__device__ float threadDot(const unsigned *x, const unsigned *y, int pairs, int first, int stride) {
  unsigned acc = 0;
#pragma unroll 1
  for (int i = first; i < pairs; i += stride)
    asm("fma.rn.bf16x2 %0, %1, %2, %0;" : "+r"(acc) : "r"(x[i]), "r"(y[i]));
  return low(acc) + high(acc);
}
__device__ unsigned short toBf16(float v) {
  unsigned short r;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(v));
  return r;
}
#else
__device__ float threadDot(const unsigned *x, const unsigned *y, int pairs, int first, int stride) {
  float lo = 0, hi = 0;
#pragma unroll 1
  for (int i = first; i < pairs; i += stride) {
    lo += low(x[i]) * low(y[i]);
    hi += high(x[i]) * high(y[i]);
  }
  return lo + hi;
}
__device__ unsigned short toBf16(float v) {
  unsigned bits = __float_as_uint(v);
  return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
#endif

// One warp a block; block b takes the pairs b*32+lane, and so on in strides of the grid.
extern "C" __global__ void bfdot(const unsigned *x, const unsigned *y, int pairs, unsigned short *dots) {
  float sum = threadDot(x, y, pairs, blockIdx.x * 32 + threadIdx.x, gridDim.x * 32);
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x == 0)
    dots[blockIdx.x] = toBf16(sum);
}
