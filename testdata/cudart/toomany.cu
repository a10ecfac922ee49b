// exit: 1
// flags: -g
// stdout: an illegal memory access was encountered
// stderr: toomany.cu:13:5: fault P7001
// stderr: from:   cudaMalloc, called by main (toomany.cu:21)
// stderr: toomany.cu:13 |     sum[i] = a[i] + b[i];
#include <cstdio>
#include <vector>

__global__ void add(const float *a, const float *b, float *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    sum[i] = a[i] + b[i];
}

int main() {
  const int n = 1000, bytes = n * sizeof(float);
  std::vector<float> host(n, 1);
  float *a, *b, *sum;
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMalloc(&sum, bytes);
  cudaMemcpy(a, host.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(b, host.data(), bytes, cudaMemcpyHostToDevice);
  add<<<(n + 255) / 256, 256>>>(a, b, sum, n);
  cudaError_t err = cudaMemcpy(host.data(), sum, bytes, cudaMemcpyDeviceToHost);
  std::printf("%s\n", err ? cudaGetErrorString(err) : "done");
  return err != cudaSuccess;
}
