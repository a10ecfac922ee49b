// A large module: CUB's device radix sort of key-value pairs, all kernels that its policies instantiate.
#include <cub/device/device_radix_sort.cuh>

cudaError_t sortPairs(void *temp, size_t &bytes, const unsigned *keys, unsigned *keysOut, const unsigned *values,
                      unsigned *valuesOut, int n) {
  return cub::DeviceRadixSort::SortPairs(temp, bytes, keys, keysOut, values, valuesOut, n);
}
