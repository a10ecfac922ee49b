// A device assertion that fails in exactly one thread of the second block.
extern "C" __global__ void checkPositive(const int *x, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  assert(x[i] > 0);
  out[i] = x[i];
}
