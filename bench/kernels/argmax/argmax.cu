// The largest value of each row and the first place that has it, a block for each row.
extern "C" __global__ void argmax(const float *x, float *best, int *where, int cols) {
  __shared__ float v[128];
  __shared__ int at[128];
  int t = threadIdx.x, p = t;
  const float *row = x + blockIdx.x * cols;
  float m = row[t];
  for (int i = t + 128; i < cols; i += 128)
    if (row[i] > m) {
      m = row[i];
      p = i;
    }
  v[t] = m;
  at[t] = p;
  __syncthreads();
  for (int o = 64; o > 0; o >>= 1) {
    if (t < o && (v[t + o] > v[t] || (v[t + o] == v[t] && at[t + o] < at[t]))) {
      v[t] = v[t + o];
      at[t] = at[t + o];
    }
    __syncthreads();
  }
  if (t == 0) {
    best[blockIdx.x] = v[0];
    where[blockIdx.x] = at[0];
  }
}
