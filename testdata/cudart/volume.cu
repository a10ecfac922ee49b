// Boxes: pitched and 3-D memory, copies of parts, fills, in streams; symbols in streams.
#include "check.h"
#include <cstring>

__device__ int table[32];
__constant__ int shift;
__global__ void raise(cudaPitchedPtr p, int w, int h, int d) {
  int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
  if (x < w && y < h && z < d) *((unsigned char *)p.ptr + (z * p.ysize + y) * p.pitch + x) += x + 2 * y + 3 * z + shift;
}

int main() {
  const int w = 20, h = 9, d = 5;
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  cudaPitchedPtr box;
  cudaExtent all = make_cudaExtent(w, h, d);
  CHECK(cudaMalloc3D(&box, all));
  EXPECT(box.pitch >= w && box.ysize == h && box.xsize == w);
  CHECK(cudaMemset3DAsync(box, 7, all, s));
  int by = 1;
  CHECK(cudaMemcpyToSymbolAsync(shift, &by, sizeof by, 0, cudaMemcpyHostToDevice, s));
  raise<<<d, dim3(w, h), 0, s>>>(box, w, h, d);
  std::vector<unsigned char> host(w * h * d), part(4 * 3 * 2);
  cudaMemcpy3DParms p = {};
  p.srcPtr = box, p.dstPtr = make_cudaPitchedPtr(host.data(), w, w, h), p.extent = all, p.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3DAsync(&p, s));
  p.srcPos = make_cudaPos(5, 2, 1), p.extent = make_cudaExtent(4, 3, 2);
  p.dstPtr = make_cudaPitchedPtr(part.data(), 4, 4, 3);
  CHECK(cudaMemcpy3DAsync(&p, s));
  CHECK(cudaStreamSynchronize(s));
  auto want = [](int x, int y, int z) { return (unsigned char)(8 + x + 2 * y + 3 * z); };
  for (int z = 0; z < d; z++) for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) EXPECT(host[(z * h + y) * w + x] == want(x, y, z));
  for (int z = 0; z < 2; z++) for (int y = 0; y < 3; y++) for (int x = 0; x < 4; x++) EXPECT(part[(z * 3 + y) * 4 + x] == want(x + 5, y + 2, z + 1));
  EXPECT(cudaMemset3D(box, 0, make_cudaExtent(w, h, d + 1000)) == cudaErrorInvalidValue);
  cudaGetLastError();

  char *flat;
  size_t pitch;
  CHECK(cudaMallocPitch(&flat, &pitch, 30, 4));
  CHECK(cudaMemset2DAsync(flat, pitch, 9, 30, 4, s));
  CHECK(cudaMemset2DAsync(flat + 10, pitch, 1, 5, 2, s));
  char lines[4][30];
  CHECK(cudaMemcpy2DAsync(lines, 30, flat, pitch, 30, 4, cudaMemcpyDeviceToHost, s));
  CHECK(cudaStreamSynchronize(s));
  for (int y = 0; y < 4; y++) for (int x = 0; x < 30; x++) EXPECT(lines[y][x] == (y < 2 && x >= 10 && x < 15 ? 1 : 9));
  int values[32], back[8];
  for (int i = 0; i < 32; i++) values[i] = i * i;
  CHECK(cudaMemcpyToSymbolAsync(table, values, sizeof values, 0, cudaMemcpyHostToDevice, s));
  CHECK(cudaMemcpyFromSymbolAsync(back, table, sizeof back, 8 * sizeof(int), cudaMemcpyDeviceToHost, s));
  CHECK(cudaStreamSynchronize(s));
  EXPECT(!memcmp(back, values + 8, sizeof back));
  CHECK(cudaFree(box.ptr));
  CHECK(cudaFree(flat));
  return passed();
}
