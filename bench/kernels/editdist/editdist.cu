// Levenshtein distances of pairs of strings of 24 bytes, the row of the table in a local array.
extern "C" __global__ void editdist(const unsigned char *a, const unsigned char *b, int *dist, int count) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= count)
    return;
  int row[25];
  for (int j = 0; j <= 24; j++)
    row[j] = j;
  for (int i = 0; i < 24; i++) {
    int diagonal = row[0], c = a[t * 24 + i];
    row[0] = i + 1;
    for (int j = 0; j < 24; j++) {
      int up = row[j + 1], best = diagonal + (c != b[t * 24 + j]);
      best = min(best, min(up, row[j]) + 1);
      diagonal = up;
      row[j + 1] = best;
    }
  }
  dist[t] = row[24];
}
