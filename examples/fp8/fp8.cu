// Quantises float to FP8 (e4m3), two a time: rounding, saturation, subnormals and NaN as the hardware has them.
extern "C" __global__ void quantise(const float *x, unsigned short *codes, int pairs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs)
    return;
  unsigned short code;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(code) : "f"(x[2 * i + 1]), "f"(x[2 * i]));
  codes[i] = code;
}
