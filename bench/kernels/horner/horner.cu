// A polynomial of degree 15, its coefficients in constant memory.
__constant__ float coef[16] = {1,        -0.5f,     0.25f,     -0.125f,   0.0625f,   -0.03125f, 0.3f,  -0.2f,
                               0.1f,     -0.05f,    0.7f,      -0.6f,     0.55f,     -0.45f,    0.35f, -0.15f};

extern "C" __global__ void horner(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i], p = coef[15];
#pragma unroll
  for (int k = 14; k >= 0; k--)
    p = p * v + coef[k];
  y[i] = p;
}
