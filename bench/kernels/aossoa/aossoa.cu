// Structures of three floats become three arrays, each vector scaled to length one.
struct Vec {
  float x, y, z;
};

extern "C" __global__ void aossoa(const Vec *in, float *x, float *y, float *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Vec v = in[i];
  float s = 1 / sqrtf(fmaf(v.z, v.z, fmaf(v.y, v.y, v.x * v.x)));
  x[i] = v.x * s;
  y[i] = v.y * s;
  z[i] = v.z * s;
}
