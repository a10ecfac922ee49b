// Ways to place queens below a first row that the thread's number gives; the stack is a local array.
extern "C" __global__ void queens(int *ways, int n, int threads) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads)
    return;
  unsigned free[12], col[12], left[12], right[12], all = (1u << n) - 1, bit = 1u << t % n;
  int d = 1, found = 0;
  col[1] = bit;
  left[1] = bit << 1;
  right[1] = bit >> 1;
  free[1] = all & ~(col[1] | left[1] | right[1]);
  while (d > 0) {
    unsigned b = free[d] & -free[d];
    if (!b) {
      d--;
      continue;
    }
    free[d] ^= b;
    if (d == n - 1) {
      found++;
      continue;
    }
    col[d + 1] = col[d] | b;
    left[d + 1] = (left[d] | b) << 1;
    right[d + 1] = (right[d] | b) >> 1;
    d++;
    free[d] = all & ~(col[d] | left[d] | right[d]);
  }
  ways[t] = found;
}
