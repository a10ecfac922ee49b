// Surface objects, and levels of mipmapped arrays: each level is made from the one above by a kernel, and all are read.
#include "check.h"

__global__ void fill(cudaSurfaceObject_t s, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) surf2Dwrite(float(x + 10 * y), s, x * sizeof(float), y);
}
__global__ void halve(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0;
  for (int j = 0; j < 2; j++) for (int i = 0; i < 2; i++) { float v; surf2Dread(&v, from, (2 * x + i) * sizeof(float), 2 * y + j); sum += v; }
  surf2Dwrite(sum / 4, to, x * sizeof(float), y);
}
__global__ void level(cudaTextureObject_t t, float *out, float l) { *out = tex2DLod<float>(t, 0.5f, 0.5f, l); }
__global__ void past(cudaSurfaceObject_t s) { surf2Dwrite(1.0f, s, 100 * sizeof(float), 0, cudaBoundaryModeZero); }

int main() {
  const int n = 16, levels = 5;
  const cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t m;
  CHECK(cudaMallocMipmappedArray(&m, &one, make_cudaExtent(n, n, 0), levels, cudaArraySurfaceLoadStore));
  cudaSurfaceObject_t s[levels];
  for (int i = 0; i < levels; i++) {
    cudaArray_t a;
    CHECK(cudaGetMipmappedArrayLevel(&a, m, i));
    cudaExtent x;
    CHECK(cudaArrayGetInfo(nullptr, &x, nullptr, a));
    EXPECT(x.width == size_t(n >> i) && x.height == size_t(n >> i));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = a;
    CHECK(cudaCreateSurfaceObject(&s[i], &r));
    cudaResourceDesc back;
    CHECK(cudaGetSurfaceObjectResourceDesc(&back, s[i]));
    EXPECT(back.res.array.array == a);
  }
  fill<<<dim3(1, 1), dim3(n, n)>>>(s[0], n, n);
  for (int i = 1; i < levels; i++) halve<<<1, dim3(n >> i, n >> i)>>>(s[i - 1], s[i], n >> i, n >> i);
  past<<<1, 1>>>(s[0]);
  CHECK(cudaDeviceSynchronize());
  float mean = 0, *out;
  for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) mean += x + 10 * y;
  mean /= n * n;
  CHECK(cudaMallocManaged(&out, sizeof(float)));
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeMipmappedArray, r.res.mipmap.mipmap = m;
  cudaTextureDesc d = {};
  d.normalizedCoords = 1, d.maxMipmapLevelClamp = levels - 1;
  cudaTextureObject_t t;
  CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  level<<<1, 1>>>(t, out, levels - 1);
  CHECK(cudaDeviceSynchronize());
  EXPECT(*out == mean);
  cudaArray_t a;
  CHECK(cudaGetMipmappedArrayLevel(&a, m, 1));
  float row[n / 2];
  CHECK(cudaMemcpy2DFromArray(row, sizeof row, a, 0, 3, sizeof row, 1, cudaMemcpyDeviceToHost));
  for (int x = 0; x < n / 2; x++) EXPECT(row[x] == 2 * x + 0.5f + 10 * 6.5f);
  EXPECT(cudaGetMipmappedArrayLevel(&a, m, levels) == cudaErrorInvalidValue);
  cudaGetLastError();
  for (cudaSurfaceObject_t each : s) CHECK(cudaDestroySurfaceObject(each));
  EXPECT(cudaDestroySurfaceObject(s[0]) == cudaErrorInvalidValue);
  cudaGetLastError();
  CHECK(cudaDestroyTextureObject(t));
  CHECK(cudaFreeMipmappedArray(m));
  return passed();
}
