// The first program of everybody: allocate, copy, launch, copy back, compare.
#include "check.h"

__global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main() {
  const int n = 50000;
  const size_t size = n * sizeof(float);
  std::vector<float> x(n), y(n), z(n);
  for (int i = 0; i < n; i++) x[i] = i * 0.5f, y[i] = 1 - i * 0.25f;
  float *a, *b, *c;
  CHECK(cudaMalloc(&a, size));
  CHECK(cudaMalloc(&b, size));
  CHECK(cudaMalloc(&c, size));
  CHECK(cudaMemcpy(a, x.data(), size, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, y.data(), size, cudaMemcpyHostToDevice));
  add<<<(n + 255) / 256, 256>>>(a, b, c, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(z.data(), c, size, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) EXPECT(z[i] == x[i] + y[i]);
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  CHECK(cudaFree(c));
  EXPECT(cudaFree(c) == cudaErrorInvalidValue);
  return passed();
}
