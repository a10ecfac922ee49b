// Memory: managed, pinned and pitched, symbols, fills, copies of boxes, pointer attributes, what is free.
// flags: -std=c++17
#include "check.h"
#include <cstring>
#include <numeric>

__constant__ float coefficients[4];
__device__ int counter;
__device__ double table[16];
__managed__ int shared[64];
__managed__ int total = 5;

__global__ void polynomial(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = 0;
  for (int k = 3; k >= 0; k--) v = v * x[i] + coefficients[k];
  y[i] = v;
  atomicAdd(&counter, 1);
}
__global__ void touch() { shared[threadIdx.x] = threadIdx.x * threadIdx.x; if (threadIdx.x == 0) total += 10; table[threadIdx.x % 16] = 1.5; }
__global__ void transpose(const char *in, size_t inPitch, char *out, size_t outPitch, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) out[x * outPitch + y] = in[y * inPitch + x];
}

int main() {
  total += 1; // before any kernel: loads the module
  const float k[4] = {1, -2, 0.5f, 3};
  CHECK(cudaMemcpyToSymbol(coefficients, k, sizeof k));
  CHECK(cudaMemcpyToSymbol(coefficients, &k[0], sizeof(float), 0));
  const int n = 1000;
  float *x, *y;
  CHECK(cudaMallocManaged(&x, n * sizeof(float)));
  CHECK(cudaMallocManaged(&y, n * sizeof(float)));
  for (int i = 0; i < n; i++) x[i] = i / 100.0f;
  polynomial<<<(n + 127) / 128, 128>>>(x, y, n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) { float v = ((3 * x[i] + 0.5f) * x[i] - 2) * x[i] + 1; EXPECT(std::abs(y[i] - v) <= 1e-4f * (1 + std::abs(v))); }
  int count = 0;
  CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  EXPECT(count == n);
  touch<<<1, 64>>>();
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 64; i++) EXPECT(shared[i] == i * i);
  EXPECT(total == 16);
  void *address;
  size_t size;
  CHECK(cudaGetSymbolAddress(&address, table));
  CHECK(cudaGetSymbolSize(&size, table));
  EXPECT(size == sizeof(double) * 16);
  double row[16];
  CHECK(cudaMemcpy(row, address, sizeof row, cudaMemcpyDeviceToHost));
  for (double v : row) EXPECT(v == 1.5);
  EXPECT(cudaMemcpyToSymbol(coefficients, k, 17) == cudaErrorInvalidValue);
  static char nothing;
  EXPECT(cudaGetSymbolSize(&size, nothing) == cudaErrorInvalidSymbol);
  EXPECT(cudaGetLastError() == cudaErrorInvalidSymbol);

  const int w = 100, h = 37;
  std::vector<char> in(w * h), out(w * h);
  std::iota(in.begin(), in.end(), 0);
  char *a, *b;
  size_t pa, pb;
  CHECK(cudaMallocPitch(&a, &pa, w, h));
  CHECK(cudaMallocPitch(&b, &pb, h, w));
  EXPECT(pa % 512 == 0 && pa >= w);
  CHECK(cudaMemcpy2D(a, pa, in.data(), w, w, h, cudaMemcpyHostToDevice));
  CHECK(cudaMemset2D(b, pb, 0x55, h, w));
  transpose<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(a, pa, b, pb, w, h);
  CHECK(cudaMemcpy2D(out.data(), h, b, pb, h, w, cudaMemcpyDeviceToHost));
  for (int i = 0; i < w; i++) for (int j = 0; j < h; j++) EXPECT(out[i * h + j] == in[j * w + i]);
  EXPECT(cudaMemcpy2D(a, 10, in.data(), w, w, h, cudaMemcpyHostToDevice) == cudaErrorInvalidPitchValue);

  cudaExtent extent = make_cudaExtent(20, 5, 3);
  cudaPitchedPtr box;
  CHECK(cudaMalloc3D(&box, extent));
  CHECK(cudaMemset3D(box, 7, extent));
  cudaMemcpy3DParms p = {};
  std::vector<char> dense(20 * 5 * 3);
  p.srcPtr = box;
  p.dstPtr = make_cudaPitchedPtr(dense.data(), 20, 20, 5);
  p.extent = extent;
  p.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&p));
  for (char c : dense) EXPECT(c == 7);

  cudaPointerAttributes at;
  CHECK(cudaPointerGetAttributes(&at, a));
  EXPECT(at.type == cudaMemoryTypeDevice && at.device == 0 && at.devicePointer == a);
  CHECK(cudaPointerGetAttributes(&at, x));
  EXPECT(at.type == cudaMemoryTypeManaged && at.hostPointer == x);
  CHECK(cudaPointerGetAttributes(&at, in.data()));
  EXPECT(at.type == cudaMemoryTypeUnregistered);

  size_t free0, free1, all;
  CHECK(cudaMemGetInfo(&free0, &all));
  EXPECT(free0 > 0 && free0 < all);
  int *big, *pinned, *mapped;
  CHECK(cudaMalloc(&big, 1 << 20));
  CHECK(cudaMemGetInfo(&free1, &all));
  EXPECT(free0 - free1 >= 1 << 20);
  CHECK(cudaMemset(big, 0xff, 1 << 20));
  CHECK(cudaMallocHost(&pinned, 1 << 20));
  CHECK(cudaHostGetDevicePointer(&mapped, pinned, 0));
  CHECK(cudaMemcpy(mapped, big, 1 << 20, cudaMemcpyDefault));
  CHECK(cudaDeviceSynchronize());
  EXPECT(pinned[0] == -1 && pinned[(1 << 18) - 1] == -1);
  EXPECT(cudaFree(pinned) == cudaErrorInvalidValue);
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaMalloc(&big, 0));
  EXPECT(big == nullptr);
  EXPECT(cudaMalloc(&big, size_t(1) << 50) == cudaErrorMemoryAllocation);
  EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaFree(0));
  return passed();
}
