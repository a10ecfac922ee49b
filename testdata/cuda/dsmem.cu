// A histogram whose bins lie spread over the shared memory of a cluster, and a ring in which every
// block hands its sum to the next one, by the cluster API of cooperative groups.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void clusterHist(const unsigned *in, unsigned n, unsigned *bins, unsigned nbins)
{
    extern __shared__ unsigned part[];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned ranks = cluster.num_blocks(), rank = cluster.block_rank();
    unsigned each = (nbins + ranks - 1) / ranks;
    for (unsigned i = threadIdx.x; i < each; i += blockDim.x)
        part[i] = 0;
    cluster.sync();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned b = in[i] % nbins;
        unsigned *there = cluster.map_shared_rank(part, b / each);
        atomicAdd(there + b % each, 1u);
    }
    cluster.sync();
    for (unsigned i = threadIdx.x; i < each; i += blockDim.x) {
        unsigned b = rank * each + i;
        if (b < nbins)
            atomicAdd(bins + b, part[i]);
    }
}

// out[block] = the sum over the cluster of what each block's threads have read, found by tree
// through the neighbours' memory; the blocks' own sums travel once around the ring.
extern "C" __global__ void __cluster_dims__(4, 1, 1) ringSum(const unsigned *in, unsigned *out)
{
    __shared__ unsigned own, seen;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), ranks = cluster.num_blocks();
    if (threadIdx.x == 0)
        own = seen = 0;
    __syncthreads();
    atomicAdd(&own, in[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    unsigned total = own;
    for (unsigned step = 1; step < ranks; step++) {
        if (threadIdx.x == 0)
            *cluster.map_shared_rank(&seen, (rank + step) % ranks) = own * (step + 1);
        auto token = cluster.barrier_arrive();
        cluster.barrier_wait(std::move(token));
        total = total * 3 + seen;
        cluster.sync();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = total;
    cluster.sync();
}
