// Thrust: vectors, transformations, reductions by key, unique, searches, iterators.
// flags: -std=c++17 --extended-lambda -diag-suppress 20012
#include "check.h"
#include <cuda/std/tuple>
#include <thrust/binary_search.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

int main() {
  const int n = 1000;
  thrust::device_vector<int> v(n), keys(n), k2(n), v2(n);
  thrust::sequence(v.begin(), v.end(), 1);
  double squares = thrust::transform_reduce(v.begin(), v.end(), [] __device__(int x) -> double { return double(x) * x; }, 0.0, thrust::plus<double>());
  EXPECT(squares == n * (n + 1.0) * (2 * n + 1) / 6);
  thrust::transform(v.begin(), v.end(), keys.begin(), [] __device__(int x) { return (x - 1) / 100; });
  auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), v.begin(), k2.begin(), v2.begin());
  EXPECT(ends.first - k2.begin() == 10);
  for (int i = 0; i < 10; i++) EXPECT(v2[i] == 100 * (100 * i) + 5050);
  thrust::exclusive_scan(v.begin(), v.end(), v2.begin());
  EXPECT(v2[n - 1] == n * (n - 1) / 2);
  thrust::transform(v.begin(), v.end(), keys.begin(), [] __device__(int x) { return x * 37 % 101; });
  thrust::host_vector<int> h = keys;
  thrust::sort(keys.begin(), keys.end(), thrust::greater<int>());
  thrust::sort(h.begin(), h.end(), thrust::greater<int>());
  EXPECT(thrust::equal(h.begin(), h.end(), thrust::host_vector<int>(keys).begin()));
  auto last = thrust::unique(keys.begin(), keys.end());
  EXPECT(last - keys.begin() == 101);
  EXPECT(*thrust::max_element(keys.begin(), last) == 100);
  EXPECT(thrust::count_if(v.begin(), v.end(), [] __device__(int x) { return x % 3 == 0; }) == 333);
  EXPECT(thrust::lower_bound(v.begin(), v.end(), 500) - v.begin() == 499);
  auto both = thrust::make_zip_iterator(v.begin(), v2.begin());
  int wrong = thrust::transform_reduce(both, both + n, [] __device__(auto t) -> int { return cuda::std::get<1>(t) != cuda::std::get<0>(t) * (cuda::std::get<0>(t) - 1) / 2; }, 0, thrust::plus<int>());
  EXPECT(wrong == 0);
  return passed();
}
