// A turn of PageRank: each page takes from those that point to it, of varying number.
kernel void once(global const int *restrict start, global const int *restrict from, global const float *restrict share, global float *restrict rank, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  float sum = 0;
  for (int k = start[i]; k < start[i + 1]; k++)
    sum += share[from[k]];
  rank[i] = fma(0.85f, sum, 0.15f);
}
