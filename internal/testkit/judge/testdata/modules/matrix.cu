// Matrix products through the headers, with asynchronous copies around them.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cub/cub.cuh>
#include <cuda/atomic>
#include <cuda/barrier>
#include <mma.h>

namespace cg = cooperative_groups;
using namespace nvcuda;

template <typename In, typename Sum, int M, int N, int K>
__global__ void product(const In *a, const In *b, Sum *c) {
    wmma::fragment<wmma::matrix_a, M, N, K, In, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, M, N, K, In, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
    wmma::fill_fragment(sum, Sum(0));
    wmma::load_matrix_sync(x, a, K);
    wmma::load_matrix_sync(y, b, K);
    wmma::mma_sync(sum, x, y, sum);
    wmma::store_matrix_sync(c, sum, N, wmma::mem_row_major);
}

template __global__ void product<half, float, 16, 16, 16>(const half *, const half *, float *);
template __global__ void product<half, half, 32, 8, 16>(const half *, const half *, half *);
template __global__ void product<signed char, int, 8, 32, 16>(const signed char *, const signed char *, int *);
#if __CUDA_ARCH__ >= 800
template __global__ void product<__nv_bfloat16, float, 16, 16, 16>(const __nv_bfloat16 *, const __nv_bfloat16 *, float *);
template __global__ void product<double, double, 8, 8, 4>(const double *, const double *, double *);
#endif

__global__ void tiles(const int *in, int *out, cuda::atomic<int> *done) {
    __shared__ int tile[256];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in, sizeof tile);
    cg::wait(block);
    auto warp = cg::tiled_partition<32>(block);
    int sum = cg::reduce(warp, tile[threadIdx.x], cg::plus<int>());
    using Reduce = cub::BlockReduce<int, 256>;
    __shared__ typename Reduce::TempStorage room;
    sum = Reduce(room).Reduce(sum, cuda::maximum<>{});
    if (warp.thread_rank() == 0) {
        done->fetch_add(sum, cuda::memory_order_acq_rel);
        out[blockIdx.x] = done->load(cuda::memory_order_acquire);
    }
}

template <typename T>
__global__ void sorted(T *data, int *counts) {
    using Sort = cub::BlockRadixSort<T, 128, 4, int>;
    using Scan = cub::BlockScan<int, 128>;
    using Histogram = cub::BlockHistogram<unsigned char, 128, 4, 64>;
    __shared__ union {
        typename Sort::TempStorage sort;
        typename Scan::TempStorage scan;
        typename Histogram::TempStorage histogram;
    } room;
    __shared__ int bins[64];
    T keys[4];
    int values[4];
    unsigned char bytes[4];
    cub::LoadDirectStriped<128>(threadIdx.x, data, keys);
    for (int i = 0; i < 4; i++) {
        values[i] = i + threadIdx.x;
        bytes[i] = static_cast<unsigned char>(values[i] & 63);
    }
    Sort(room.sort).SortDescending(keys, values);
    __syncthreads();
    Scan(room.scan).InclusiveSum(values, values);
    __syncthreads();
    Histogram(room.histogram).Histogram(bytes, bins);
    cub::StoreDirectBlocked(threadIdx.x, data, keys);
    cub::StoreDirectBlocked(threadIdx.x, counts, values);
}

template __global__ void sorted<float>(float *, int *);
template __global__ void sorted<unsigned long long>(unsigned long long *, int *);
