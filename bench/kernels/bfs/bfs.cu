// One level of a breadth-first search: vertices of eight neighbours, those of the level look at theirs.
extern "C" __global__ void bfs(const int *next, int *level, int depth, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || level[v] != depth)
    return;
  for (int k = 0; k < 8; k++) {
    int u = next[v * 8 + k];
    if (level[u] < 0)
      level[u] = depth + 1;
  }
}
