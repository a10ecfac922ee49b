// Thrust and CUB: sort, reduce_by_key, scan, radix sort.
// flags: -std=c++17 --extended-lambda -diag-suppress 20012
#include "check.h"
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

int main() {
  const int n = 5000;
  std::vector<int> host(n);
  unsigned seed = 1;
  for (int &v : host) v = (seed = seed * 1664525 + 1013904223) >> 16;
  thrust::device_vector<int> d(host.begin(), host.end());
  thrust::sort(d.begin(), d.end());
  std::vector<int> sorted = host, got(n);
  std::sort(sorted.begin(), sorted.end());
  thrust::copy(d.begin(), d.end(), got.begin());
  EXPECT(got == sorted);
  EXPECT(thrust::reduce(d.begin(), d.end(), 0LL) == std::accumulate(host.begin(), host.end(), 0LL));

  thrust::device_vector<int> keys(n), values(n, 1), outKeys(n), outValues(n);
  thrust::transform(d.begin(), d.end(), keys.begin(), [] __device__(int v) { return v / 1000; });
  auto end = thrust::reduce_by_key(keys.begin(), keys.end(), values.begin(), outKeys.begin(), outValues.begin());
  int groups = end.first - outKeys.begin(), sum = 0;
  for (int i = 0; i < groups; i++) {
    int k = outKeys[i];
    sum += outValues[i];
    EXPECT(outValues[i] == std::count_if(host.begin(), host.end(), [&](int v) { return v / 1000 == k; }));
  }
  EXPECT(sum == n);

  unsigned *in, *out;
  size_t bytes = 0;
  CHECK(cudaMalloc(&in, n * 4));
  CHECK(cudaMalloc(&out, n * 4));
  CHECK(cudaMemcpy(in, host.data(), n * 4, cudaMemcpyHostToDevice));
  CHECK(cub::DeviceRadixSort::SortKeys(nullptr, bytes, in, out, n));
  void *temporary;
  CHECK(cudaMalloc(&temporary, bytes));
  CHECK(cub::DeviceRadixSort::SortKeys(temporary, bytes, in, out, n));
  CHECK(cudaMemcpy(got.data(), out, n * 4, cudaMemcpyDeviceToHost));
  EXPECT(got == sorted);
  size_t scanBytes = 0;
  CHECK(cub::DeviceScan::InclusiveSum(nullptr, scanBytes, in, out, n));
  void *scanTemporary;
  CHECK(cudaMalloc(&scanTemporary, scanBytes));
  CHECK(cub::DeviceScan::InclusiveSum(scanTemporary, scanBytes, in, out, n));
  CHECK(cudaMemcpy(got.data(), out, n * 4, cudaMemcpyDeviceToHost));
  for (int i = 0, total = 0; i < n; i++) EXPECT(got[i] == (total += host[i]));
  return passed();
}
