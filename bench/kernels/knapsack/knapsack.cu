// One item of a knapsack: the best value for each capacity.
extern "C" __global__ void knapsack(const int *was, int *now, int weight, int value, int n) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= n)
    return;
  int best = was[c];
  if (c >= weight)
    best = max(best, was[c - weight] + value);
  now[c] = best;
}
