// A sum whose tree misses a barrier: some sums come out right, others wrong; --sanitize race, in race.txt, names both places.
extern "C" __global__ void sum(const float *x, float *y) {
  __shared__ float part[256];
  int i = threadIdx.x;
  part[i] = x[i];
  __syncthreads();
#pragma unroll 1
  for (int n = 128; n > 0; n /= 2) {
    if (i < n)
      part[i] += part[i + n];
    // __syncthreads() belongs here
  }
  if (i == 0)
    *y = part[0];
}
