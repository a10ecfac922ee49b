// A large module: CUB's sort of segments, in doubles and in bytes, which chooses its kernel by each segment's length.
#include <cub/cub.cuh>

void segments(void *temp, size_t bytes, const double *in, double *out, const char *text, char *sorted, const int *ends, int n, int count) {
    cub::DeviceSegmentedSort::SortKeys(temp, bytes, in, out, n, count, ends, ends + 1);
    cub::DeviceSegmentedRadixSort::SortKeys(temp, bytes, text, sorted, n, count, ends, ends + 1);
}
