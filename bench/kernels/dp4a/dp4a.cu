// Products of vectors of signed bytes, four at a time.
extern "C" __global__ void dp4a(const int *x, const int *y, int *out, int words, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  if (i >= n)
    return;
  for (int k = 0; k < words; k++)
    sum = __dp4a(x[i * words + k], y[k], sum);
  out[i] = sum;
}
