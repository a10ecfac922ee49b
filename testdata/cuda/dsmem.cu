// A histogram whose bins lie spread over the shared memory of a cluster, and a ring in which every
// block hands its sum to the next one, by the compiler's cluster intrinsics.

static __device__ void clusterSync()
{
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
}

static __device__ unsigned *inBlock(unsigned *p, unsigned rank)
{
    return static_cast<unsigned *>(__cluster_map_shared_rank(p, rank));
}

extern "C" __global__ void clusterHist(const unsigned *in, unsigned n, unsigned *bins, unsigned nbins)
{
    extern __shared__ unsigned part[];
    unsigned ranks = __clusterSizeInBlocks(), rank = __clusterRelativeBlockRank();
    unsigned each = (nbins + ranks - 1) / ranks;
    for (unsigned i = threadIdx.x; i < each; i += blockDim.x)
        part[i] = 0;
    clusterSync();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned b = in[i] % nbins;
        unsigned *there = inBlock(part, b / each);
        atomicAdd(there + b % each, 1u);
    }
    clusterSync();
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
    unsigned rank = __clusterRelativeBlockRank(), ranks = __clusterSizeInBlocks();
    if (threadIdx.x == 0)
        own = seen = 0;
    clusterSync(); // a peer writes seen: it must not be first
    atomicAdd(&own, in[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    unsigned total = own;
    for (unsigned step = 1; step < ranks; step++) {
        if (threadIdx.x == 0)
            *inBlock(&seen, (rank + step) % ranks) = own * (step + 1);
        clusterSync();
        total = total * 3 + seen;
        clusterSync();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = total;
    clusterSync();
}
