// A matrix product in tiles of shared memory, against the host.
#include "check.h"

const int tile = 16;
__global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float ta[tile][tile], tb[tile][tile + 1];
  int row = blockIdx.y * tile + threadIdx.y, col = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < k; t += tile) {
    ta[threadIdx.y][threadIdx.x] = row < m && t + threadIdx.x < k ? a[row * k + t + threadIdx.x] : 0;
    tb[threadIdx.y][threadIdx.x] = t + threadIdx.y < k && col < n ? b[(t + threadIdx.y) * n + col] : 0;
    __syncthreads();
    for (int i = 0; i < tile; i++) sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

int main() {
  const int m = 70, n = 45, k = 53;
  std::vector<float> a(m * k), b(k * n), c(m * n);
  for (int i = 0; i < m * k; i++) a[i] = i % 11 - 5;
  for (int i = 0; i < k * n; i++) b[i] = i % 13 - 6;
  float *da, *db, *dc;
  CHECK(cudaMalloc(&da, a.size() * sizeof(float)));
  CHECK(cudaMalloc(&db, b.size() * sizeof(float)));
  CHECK(cudaMalloc(&dc, c.size() * sizeof(float)));
  CHECK(cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));
  product<<<dim3((n + tile - 1) / tile, (m + tile - 1) / tile), dim3(tile, tile)>>>(da, db, dc, m, n, k);
  CHECK(cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) {
    float sum = 0;
    for (int l = 0; l < k; l++) sum += a[i * k + l] * b[l * n + j];
    EXPECT(c[i * n + j] == sum);
  }
  return passed();
}
