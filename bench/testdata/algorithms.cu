// A large module: CUB's selection, run-length encoding, reduction by key, histogram and merge sort, all kernels.
#include <cub/cub.cuh>

void algorithms(void *temp, size_t bytes, const int *keys, const float *values, int *out, float *sums, int *count, int n) {
    cub::DeviceSelect::Unique(temp, bytes, keys, out, count, n);
    cub::DeviceRunLengthEncode::Encode(temp, bytes, keys, out, out + n, count, n);
    cub::DeviceReduce::ReduceByKey(temp, bytes, keys, out, values, sums, count, cuda::maximum<>{}, n);
    cub::DeviceHistogram::HistogramEven(temp, bytes, values, out, 257, 0.0f, 1.0f, n);
    cub::DeviceMergeSort::SortPairs(temp, bytes, out, sums, n, cuda::std::less<>{});
}
