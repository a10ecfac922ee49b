// Merges two sorted lists; each thread finds its place by bisection and writes eight elements.
extern "C" __global__ void mergepath(const int *a, const int *b, int *out, int n) {
  int d = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  if (d >= 2 * n)
    return;
  int lo = max(0, d - n), hi = min(d, n);
  while (lo < hi) {
    int m = (lo + hi) / 2;
    if (a[m] <= b[d - 1 - m])
      lo = m + 1;
    else
      hi = m;
  }
  int i = lo, j = d - lo;
  for (int k = 0; k < 8 && d + k < 2 * n; k++)
    out[d + k] = j >= n || (i < n && a[i] <= b[j]) ? a[i++] : b[j++];
}
