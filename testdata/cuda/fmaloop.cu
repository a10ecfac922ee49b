// Eight independent chains of fma.rn.f32 in every lane: the exact-fma figure.
extern "C" __global__ void fmaloop(float *out, float m, float c, int rounds) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[8];
#pragma unroll
  for (int k = 0; k < 8; k++)
    v[k] = (float)(int)(i + k);
#pragma unroll 1
  for (int r = 0; r < rounds; r++) {
#pragma unroll
    for (int k = 0; k < 8; k++)
      v[k] = v[k] * m + c;
  }
  float s = v[0];
#pragma unroll
  for (int k = 1; k < 8; k++)
    s += v[k];
  out[i] = s;
}
