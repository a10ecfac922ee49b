// One step of Floyd and Warshall: shorter ways through vertex k.
extern "C" __global__ void floyd(int *dist, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j < n)
    dist[i * n + j] = min(dist[i * n + j], dist[i * n + k] + dist[k * n + j]);
}
