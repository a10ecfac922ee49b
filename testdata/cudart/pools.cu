// Memory in the order of streams: pools, their attributes and access.
#include "check.h"
#include <cstdint>

__global__ void fill(int *p, int v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = v; }
__global__ void sum(const int *p, int *out, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; *out = s; }

int main() {
  const int n = 1000;
  cudaMemPool_t pool, mine, now;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  CHECK(cudaDeviceGetMemPool(&now, 0));
  EXPECT(pool == now);
  uint64_t keep = UINT64_MAX, value = 0;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
  EXPECT(value == keep);
  int reuse = 5;
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
  EXPECT(reuse == 1);
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  int *out;
  CHECK(cudaMallocManaged(&out, sizeof(int)));
  for (int round = 0; round < 50; round++) {
    int *p;
    CHECK(cudaMallocAsync(&p, n * sizeof(int), s));
    fill<<<(n + 127) / 128, 128, 0, s>>>(p, round, n);
    sum<<<1, 1, 0, s>>>(p, out, n);
    CHECK(cudaFreeAsync(p, s));
    CHECK(cudaStreamSynchronize(s));
    EXPECT(*out == round * n);
  }
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  CHECK(cudaMemPoolCreate(&mine, &props));
  cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, {0}}, cudaMemAccessFlagsProtReadWrite};
  CHECK(cudaMemPoolSetAccess(mine, &access, 1));
  cudaMemAccessFlags how;
  CHECK(cudaMemPoolGetAccess(&how, mine, &access.location));
  EXPECT(how == cudaMemAccessFlagsProtReadWrite);
  int *p;
  CHECK(cudaMallocFromPoolAsync(&p, n * sizeof(int), mine, s));
  fill<<<(n + 127) / 128, 128, 0, s>>>(p, 3, n);
  sum<<<1, 1, 0, s>>>(p, out, n);
  CHECK(cudaStreamSynchronize(s));
  EXPECT(*out == 3 * n);
  CHECK(cudaMemPoolGetAttribute(mine, cudaMemPoolAttrUsedMemCurrent, &value));
  EXPECT(value >= n * sizeof(int));
  CHECK(cudaFreeAsync(p, s));
  CHECK(cudaMemPoolTrimTo(mine, 0));
  CHECK(cudaDeviceSetMemPool(0, mine));
  CHECK(cudaDeviceGetMemPool(&now, 0));
  EXPECT(now == mine);
  CHECK(cudaMallocAsync(&p, 64, s));
  CHECK(cudaFree(p));
  CHECK(cudaDeviceSetMemPool(0, pool));
  CHECK(cudaMemPoolDestroy(mine));
  EXPECT(cudaMemPoolDestroy(pool) == cudaErrorInvalidValue);
  EXPECT(cudaMallocAsync(&p, size_t(1) << 50, s) == cudaErrorMemoryAllocation);
  cudaGetLastError();
  return passed();
}
