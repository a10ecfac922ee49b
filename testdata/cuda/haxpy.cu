// y = a*x + y on packed halves, arithmetic in inline PTX.
__device__ __forceinline__ unsigned fmaHalf2(unsigned a, unsigned b, unsigned c) {
  unsigned r;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  return r;
}
__device__ __forceinline__ unsigned pairFromFloat(float v) {
  unsigned r;
  asm("{\n\t"
      ".reg .b16 h;\n\t"
      "cvt.rn.f16.f32 h, %1;\n\t"
      "mov.b32 %0, {h, h};\n\t"
      "}"
      : "=r"(r)
      : "f"(v));
  return r;
}

extern "C" __global__ void haxpy(int pairs, float a, const unsigned *x, unsigned *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pairs)
    y[i] = fmaHalf2(pairFromFloat(a), x[i], y[i]);
}
