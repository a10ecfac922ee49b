// CUB: reductions, scans, sorts, selections, histograms; of devices and of blocks.
// flags: -std=c++17 -diag-suppress 20012
#include "check.h"
#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>

__global__ void blocks(const int *in, int *sums, int *scanned) {
  using Reduce = cub::BlockReduce<int, 128>;
  using Scan = cub::BlockScan<int, 128>;
  __shared__ union { typename Reduce::TempStorage reduce; typename Scan::TempStorage scan; } room;
  int i = blockIdx.x * 128 + threadIdx.x, v = in[i], out;
  int sum = Reduce(room.reduce).Sum(v);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  __syncthreads();
  Scan(room.scan).ExclusiveSum(v, out);
  scanned[i] = out;
}
struct Odd { __host__ __device__ bool operator()(int v) const { return v & 1; } };

// twice calls a function of CUB for the size of its room, and with it.
template <class F> static void twice(F f) {
  size_t n = 0;
  void *room = nullptr;
  CHECK(f(nullptr, n));
  CHECK(cudaMalloc(&room, n));
  CHECK(f(room, n));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(room));
}

int main() {
  const int n = 2048;
  int *in, *out, *extra;
  unsigned *keys, *sorted;
  CHECK(cudaMallocManaged(&in, n * sizeof(int)));
  CHECK(cudaMallocManaged(&out, n * sizeof(int)));
  CHECK(cudaMallocManaged(&extra, n * sizeof(int)));
  CHECK(cudaMallocManaged(&keys, n * sizeof(int)));
  CHECK(cudaMallocManaged(&sorted, n * sizeof(int)));
  for (int i = 0; i < n; i++) in[i] = i * 7919 % 1000, keys[i] = 2654435761u * i;
  std::vector<int> host(in, in + n), want(n);
  twice([&](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, in, out, n); });
  EXPECT(*out == std::accumulate(host.begin(), host.end(), 0));
  twice([&](void *t, size_t &b) { return cub::DeviceReduce::Max(t, b, in, out, n); });
  EXPECT(*out == *std::max_element(host.begin(), host.end()));
  twice([&](void *t, size_t &b) { return cub::DeviceScan::InclusiveSum(t, b, in, out, n); });
  std::partial_sum(host.begin(), host.end(), want.begin());
  EXPECT(std::equal(want.begin(), want.end(), out));
  twice([&](void *t, size_t &b) { return cub::DeviceRadixSort::SortPairs(t, b, keys, sorted, in, out, n); });
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
  for (int i = 0; i < n; i++) EXPECT(sorted[i] == keys[order[i]] && out[i] == in[order[i]]);
  twice([&](void *t, size_t &b) { return cub::DeviceSelect::If(t, b, in, out, extra, n, Odd()); });
  auto end = std::copy_if(host.begin(), host.end(), want.begin(), Odd());
  EXPECT(*extra == end - want.begin() && std::equal(want.begin(), end, out));
  twice([&](void *t, size_t &b) { return cub::DeviceHistogram::HistogramEven(t, b, in, out, 11, 0, 1000, n); });
  for (int k = 0; k < 10; k++) EXPECT(out[k] == std::count_if(host.begin(), host.end(), [&](int v) { return v / 100 == k; }));
  blocks<<<n / 128, 128>>>(in, extra, out);
  CHECK(cudaDeviceSynchronize());
  for (int b = 0; b < n / 128; b++) {
    int sum = 0;
    for (int i = 0; i < 128; i++) { EXPECT(out[b * 128 + i] == sum); sum += host[b * 128 + i]; }
    EXPECT(extra[b] == sum);
  }
  return passed();
}
