// Sorting networks: bitonic sort of keys with values, in shared memory and beyond, in both directions; a histogram beside it.
#include "check.h"
#include <algorithm>

const unsigned SHARED = 512;

__device__ static void compare(unsigned &ka, unsigned &va, unsigned &kb, unsigned &vb, bool up) {
  if ((ka > kb) == up) {
    unsigned t = ka; ka = kb; kb = t;
    t = va; va = vb; vb = t;
  }
}

__global__ void sortShared(unsigned *keys, unsigned *values) {
  __shared__ unsigned k[SHARED], v[SHARED];
  unsigned *key = keys + blockIdx.x * SHARED, *value = values + blockIdx.x * SHARED;
  for (unsigned i = threadIdx.x; i < SHARED; i += SHARED / 2) k[i] = key[i], v[i] = value[i];
  for (unsigned size = 2; size <= SHARED; size <<= 1) {
    bool up = size == SHARED ? blockIdx.x % 2 == 0 : (threadIdx.x & (size / 2)) == 0;
    for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      unsigned at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      compare(k[at], v[at], k[at + stride], v[at + stride], up);
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < SHARED; i += SHARED / 2) key[i] = k[i], value[i] = v[i];
}

__global__ void mergeGlobal(unsigned *keys, unsigned *values, unsigned size, unsigned stride, bool down) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at = 2 * i - (i & (stride - 1));
  bool up = ((i & (size / 2)) == 0) != down;
  unsigned ka = keys[at], va = values[at], kb = keys[at + stride], vb = values[at + stride];
  compare(ka, va, kb, vb, up);
  keys[at] = ka, values[at] = va, keys[at + stride] = kb, values[at + stride] = vb;
}

__global__ void histogram(const unsigned *keys, unsigned *bins, unsigned n) {
  __shared__ unsigned own[64];
  if (threadIdx.x < 64) own[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[keys[i] % 64], 1u);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

int main() {
  const unsigned n = 1 << 13;
  std::vector<unsigned> key(n), value(n), k(n), v(n), want(64), bins(64);
  unsigned seed = 7;
  for (unsigned i = 0; i < n; i++) key[i] = (seed = seed * 1664525 + 1013904223) >> 12, value[i] = i, want[key[i] % 64]++;
  unsigned *dk, *dv, *db;
  CHECK(cudaMalloc(&dk, n * 4));
  CHECK(cudaMalloc(&dv, n * 4));
  CHECK(cudaMalloc(&db, 64 * 4));
  for (int down = 0; down < 2; down++) {
    CHECK(cudaMemcpy(dk, key.data(), n * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dv, value.data(), n * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(db, 0, 64 * 4));
    sortShared<<<n / SHARED, SHARED / 2>>>(dk, dv);
    for (unsigned size = 2 * SHARED; size <= n; size <<= 1)
      for (unsigned stride = size / 2; stride > 0; stride >>= 1) mergeGlobal<<<n / 512, 256>>>(dk, dv, size, stride, size == n && down);
    histogram<<<4, 256>>>(dk, db, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(k.data(), dk, n * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(v.data(), dv, n * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(bins.data(), db, 64 * 4, cudaMemcpyDeviceToHost));
    for (unsigned i = 1; i < n; i++) EXPECT(down ? k[i - 1] >= k[i] : k[i - 1] <= k[i]);
    for (unsigned i = 0; i < n; i++) EXPECT(key[v[i]] == k[i]);
    std::sort(v.begin(), v.end());
    for (unsigned i = 0; i < n; i++) EXPECT(v[i] == i);
    EXPECT(bins == want);
  }
  CHECK(cudaFree(dk));
  CHECK(cudaFree(dv));
  CHECK(cudaFree(db));
  return passed();
}
