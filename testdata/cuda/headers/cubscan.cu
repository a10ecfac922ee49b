// A large module: CUB's device-wide inclusive sums and exclusive scans, by decoupled look-back.
#include <cub/device/device_scan.cuh>

struct Larger {
  __device__ double operator()(double a, double b) const { return a < b ? b : a; }
};

cudaError_t inclusiveSum(void *temp, size_t &bytes, const int *in, int *out, int n) {
  return cub::DeviceScan::InclusiveSum(temp, bytes, in, out, n);
}

cudaError_t exclusiveSum(void *temp, size_t &bytes, const float *in, float *out, int n) {
  return cub::DeviceScan::ExclusiveSum(temp, bytes, in, out, n);
}

cudaError_t exclusiveMax(void *temp, size_t &bytes, const double *in, double *out, int n) {
  return cub::DeviceScan::ExclusiveScan(temp, bytes, in, out, Larger{}, 0.0, n);
}
