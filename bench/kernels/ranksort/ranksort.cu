// Sorts by counting, for each key, the smaller ones.
extern "C" __global__ void ranksort(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = in[i];
  int rank = 0;
  for (int j = 0; j < n; j++)
    rank += in[j] < v || (in[j] == v && j < i);
  out[rank] = v;
}
