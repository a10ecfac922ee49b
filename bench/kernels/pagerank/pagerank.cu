// A turn of PageRank: each page takes from those that point to it, of varying number.
extern "C" __global__ void pagerank(const int *start, const int *from, const float *share, float *rank, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = start[i]; k < start[i + 1]; k++)
    sum += share[from[k]];
  rank[i] = fmaf(0.85f, sum, 0.15f);
}
