// Walsh-Hadamard transforms of 512 integers in shared memory, one a block.
extern "C" __global__ void walsh(int *data) {
  __shared__ int s[512];
  int t = threadIdx.x, *d = data + blockIdx.x * 512;
  s[t] = d[t];
  s[t + 256] = d[t + 256];
  for (int h = 1; h < 512; h *= 2) {
    __syncthreads();
    int i = 2 * t - (t & (h - 1)), u = s[i], v = s[i + h];
    s[i] = u + v;
    s[i + h] = u - v;
  }
  __syncthreads();
  d[t] = s[t];
  d[t + 256] = s[t + 256];
}
