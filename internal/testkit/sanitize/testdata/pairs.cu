// Kernels in two versions, by nvcc -DBUG=1 and -DBUG=0; doc.go says what the comments mean. p is 4 KiB of zeros.

#include <cooperative_groups.h>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

#if BUG
#define BUGGY(...) __VA_ARGS__
#define CORRECT(...)
#else
#define BUGGY(...)
#define CORRECT(...) __VA_ARGS__
#endif

// == reduction race
extern "C" __global__ void reduction(unsigned *p) {
	__shared__ unsigned s[64];
	s[threadIdx.x] = p[threadIdx.x]; //@here
	CORRECT(__syncthreads();)
	if (threadIdx.x < 32)
		p[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 32]; //@other
}

// == tree race
extern "C" __global__ void tree(unsigned *p) {
	__shared__ unsigned s[128];
	s[threadIdx.x] = p[threadIdx.x];
	s[threadIdx.x + 64] = 1;
	__syncthreads();
	for (unsigned n = 64; n > 0; n >>= 1) {
		if (threadIdx.x < n)
			s[threadIdx.x] += s[threadIdx.x + n]; //@here //@other
		CORRECT(__syncthreads();)
		BUGGY(__syncwarp();)
	}
	if (threadIdx.x == 0)
		p[0] = s[0];
}

// == transposition race block=256
extern "C" __global__ void transposition(unsigned *p) {
	__shared__ unsigned tile[16][17];
	unsigned x = threadIdx.x % 16, y = threadIdx.x / 16;
	tile[y][x] = p[threadIdx.x]; //@other
	CORRECT(__syncthreads();)
	p[threadIdx.x] = tile[x][y]; //@here
}

// == stencil race block=128
extern "C" __global__ void stencil(unsigned *p) {
	__shared__ unsigned s[130];
	unsigned t = threadIdx.x;
	s[t + 1] = p[t]; //@other
	if (t == 0)
		s[0] = s[129] = 0;
	CORRECT(__syncthreads();)
	BUGGY(__syncwarp();)
	p[t + 256] = s[t] + s[t + 1] + s[t + 2]; //@here
}

// == scan race block=128
extern "C" __global__ void scan(unsigned *p) {
	__shared__ unsigned s[128];
	unsigned t = threadIdx.x;
	s[t] = p[t] + 1;
	__syncthreads();
	for (unsigned d = 1; d < 128; d *= 2) {
		unsigned v = t >= d ? s[t - d] : 0; //@other
		CORRECT(__syncthreads();)
		s[t] += v; //@here
		__syncthreads();
	}
	p[t] = s[t];
}

// == warp_sum race block=32
extern "C" __global__ void warp_sum(unsigned *p) {
	__shared__ unsigned s[32];
	unsigned t = threadIdx.x;
	s[t] = p[t];
	__syncwarp();
	for (unsigned n = 16; n > 0; n >>= 1) {
		if (t < n)
			s[t] += s[t + n]; //@here //@other
		CORRECT(__syncwarp();)
	}
	p[t] = s[0];
}

// == histogram race block=128
extern "C" __global__ void histogram(unsigned *p) {
	__shared__ unsigned bins[16];
	if (threadIdx.x < 16)
		bins[threadIdx.x] = 0;
	__syncthreads();
	BUGGY(bins[threadIdx.x * 7 % 16]++;) CORRECT(atomicAdd(&bins[threadIdx.x * 7 % 16], 1);) //@here //@other
	__syncthreads();
	if (threadIdx.x < 16)
		p[threadIdx.x] = bins[threadIdx.x];
}

// == broadcast race
extern "C" __global__ void broadcast(unsigned *p) {
	__shared__ unsigned v;
	if (threadIdx.x == 0)
		v = p[5] + 3; //@other
	CORRECT(__syncthreads();)
	p[threadIdx.x + 64] = v; //@here
}

// == double_buffer race
extern "C" __global__ void double_buffer(unsigned *p) {
	__shared__ unsigned s[2][64];
	unsigned t = threadIdx.x, sum = 0;
	for (unsigned i = 0; i < 6; i++) {
		s[i BUGGY(* 2) % 2][t] = p[t] + i; //@here
		__syncthreads();
		sum += s[i BUGGY(* 2) % 2][t ^ 32]; //@other
	}
	p[t] = sum;
}

// == counter race grid=2 block=1
extern "C" __global__ void counter(unsigned *p) {
	BUGGY(*p += 1;) CORRECT(atomicAdd(p, 1);) //@here //@other
}

// == block_scope race grid=2 block=1
extern "C" __global__ void block_scope(unsigned *p) {
	BUGGY(atomicAdd_block(p, 1);) CORRECT(atomicAdd(p, 1);) //@here //@other
}

// == neighbour race grid=2
extern "C" __global__ void neighbour(unsigned *p) {
	unsigned i = blockIdx.x * 64 + threadIdx.x;
	unsigned v = p[i + BUGGY(1) CORRECT(0)]; //@other
	p[i] = v + 1; //@here
}

// == flag race grid=2 block=1
extern "C" __global__ void flag(volatile unsigned *p) {
	unsigned *data = (unsigned *)p + 100;
	if (blockIdx.x == 0) {
		*data = 42; //@other
		CORRECT(__threadfence();)
		*p = 1;
	} else {
		while (*p == 0)
			;
		CORRECT(__threadfence();)
		p[1] = *data; //@here
	}
}

// == last_block race grid=4
extern "C" __global__ void last_block(unsigned *p) {
	__shared__ bool last;
	unsigned *partial = p + 64;
	if (threadIdx.x == 0) {
		partial[blockIdx.x] = blockIdx.x + 1; //@other
		CORRECT(__threadfence();)
		last = atomicAdd(p, 1) == gridDim.x - 1;
		CORRECT(__threadfence();)
	}
	__syncthreads();
	if (last && threadIdx.x < gridDim.x)
		p[threadIdx.x + 1] = partial[threadIdx.x] * 2; //@here
}

// == lock race grid=3 block=1
extern "C" __global__ void lock(unsigned *p) {
	while (atomicCAS(p, 0, 1) != 0)
		;
	CORRECT(__threadfence();)
	p[1] += 1; //@here //@other
	CORRECT(__threadfence();)
	atomicExch(p, 0);
}

// == late_zero race
extern "C" __global__ void late_zero(unsigned *p) {
	__shared__ unsigned sum;
	BUGGY(__syncthreads();)
	if (threadIdx.x == 0)
		sum = 0; //@other
	CORRECT(__syncthreads();)
	atomicAdd(&sum, threadIdx.x); //@here
	__syncthreads();
	p[threadIdx.x] = sum;
}

// == reused_scratch race block=64
extern "C" __global__ void reused_scratch(unsigned *p) {
	__shared__ unsigned s[64];
	unsigned t = threadIdx.x;
	s[t] = p[t];
	__syncthreads();
	unsigned a = s[63 - t]; //@other
	CORRECT(__syncthreads();)
	s[t] = a + t; //@here
	__syncthreads();
	p[t] = s[63 - t];
}

// == byte_flags race
extern "C" __global__ void byte_flags(unsigned *p) {
	__shared__ unsigned char seen[64];
	seen[threadIdx.x BUGGY(/ 2)] = threadIdx.x; //@here //@other
	__syncthreads();
	p[threadIdx.x] = seen[threadIdx.x / 2];
}

// == vector_store race
extern "C" __global__ void vector_store(unsigned *p) {
	__shared__ __align__(16) unsigned s[260];
	unsigned t = threadIdx.x;
	*(uint2 *)&s[t BUGGY(& ~1u) CORRECT(* 2)] = make_uint2(t, t); //@here //@other
	__syncthreads();
	p[t] = s[t];
}

// == cluster_read race grid=2 cluster=2
extern "C" __global__ void cluster_read(unsigned *p) {
	__shared__ unsigned s[64];
	cg::cluster_group cluster = cg::this_cluster();
	s[threadIdx.x] = threadIdx.x; //@other
	CORRECT(cluster.sync();)
	BUGGY(__syncthreads();)
	unsigned v = *cluster.map_shared_rank(&s[threadIdx.x], cluster.block_rank() ^ 1); //@here
	p[threadIdx.x + blockIdx.x * 64] = v;
	cluster.sync();
}

// == cluster_sum race grid=2 cluster=2
extern "C" __global__ void cluster_sum(unsigned *p) {
	__shared__ unsigned sum;
	cg::cluster_group cluster = cg::this_cluster();
	if (threadIdx.x == 0)
		sum = 0;
	cluster.sync();
	atomicAdd(cluster.map_shared_rank(&sum, 0), 1); //@other
	CORRECT(cluster.sync();)
	if (cluster.block_rank() == 0)
		p[threadIdx.x] = sum; //@here
	cluster.sync();
}

// == grid_flag race grid=2
extern "C" __global__ void grid_flag(unsigned *p) {
	p[256 + blockIdx.x * 64 + threadIdx.x] = threadIdx.x; //@other
	CORRECT(__syncthreads();)
	if (threadIdx.x == 0) {
		__threadfence();
		atomicAdd(p, 1);
		while (*(volatile unsigned *)p < 2)
			;
		__threadfence();
	}
	__syncthreads();
	p[512 + blockIdx.x * 64 + threadIdx.x] = p[256 + (blockIdx.x ^ 1) * 64 + threadIdx.x]; //@here
}

// == past_shared mem
extern "C" __global__ void past_shared(unsigned *p) {
	__shared__ unsigned a[64], b[64];
	unsigned t = threadIdx.x;
	b[t] = t;
	__syncthreads();
	a[t + p[0] BUGGY(+ 16)] = b[63 - t]; //@here
	__syncthreads();
	p[t] = a[t] + b[t];
//= P8008 behind the end of
}

__device__ unsigned table[16], other[16];

// == past_table mem block=32
extern "C" __global__ void past_table(unsigned *p) {
	other[threadIdx.x % 16] = 1;
	p[threadIdx.x] = table[threadIdx.x CORRECT(% 16)]; //@here
//= P8008 behind the end of table
}

// == past_block mem block=32
extern "C" __global__ void past_block(unsigned *p) {
	unsigned *a = (unsigned *)malloc(64), *b = (unsigned *)malloc(64);
	a[threadIdx.x % 16 BUGGY(+ 16)] = 1; //@here
	b[0] = 2;
	p[threadIdx.x] = b[0];
	free(a);
	free(b);
//= P8008
}

// == after_free mem block=32
extern "C" __global__ void after_free(unsigned *p) {
	unsigned *a = (unsigned *)malloc(64);
	a[0] = 5;
	BUGGY(free(a);)
	p[threadIdx.x] = *(volatile unsigned *)a; //@here
	CORRECT(free(a);)
//= P8009 that has been freed
}

// == before_parameter mem block=32
extern "C" __global__ void before_parameter(unsigned *p) {
	p[threadIdx.x] = p[(int)(threadIdx.x BUGGY(- 1) + p[9])]; //@here
//= P8008 before
}

// == unwritten_tail init block=64
extern "C" __global__ void unwritten_tail(unsigned *p) {
	__shared__ unsigned s[64];
	if (threadIdx.x < 64 BUGGY(- 8))
		s[threadIdx.x] = threadIdx.x;
	__syncthreads();
	if (s[63 - threadIdx.x] > 20) //@here
		p[threadIdx.x] = 1;
//= P8001 a guard
}

// == unwritten_local init block=32
extern "C" __global__ void unwritten_local(unsigned *p) {
	unsigned a[8];
	for (unsigned i = 0; i < 8 BUGGY(- 1); i++)
		a[(i * 5 + p[3]) % 8] = i;
	if (a[(p[1] + 3) % 8] == 1) //@here
		p[threadIdx.x] = 1;
//= P8001
}

// == unwritten_index init block=32
extern "C" __global__ void unwritten_index(unsigned *p) {
	__shared__ unsigned at[32];
	CORRECT(at[threadIdx.x] = 1;)
	BUGGY(if (threadIdx.x) at[threadIdx.x] = 1;)
	__syncwarp();
	p[at[31 - threadIdx.x] & 511] = 1; //@here
//= P8001 an address
}

// == unwritten_block init block=32
extern "C" __global__ void unwritten_block(unsigned *p) {
	unsigned *a = (unsigned *)malloc(64);
	a[0] = 1;
	CORRECT(a[1] = 2;)
	if (*(volatile unsigned *)(a + 1) == 2) //@here
		p[threadIdx.x] = 1;
	free(a);
//= P8001
}

// == unwritten_accumulator init block=64
extern "C" __global__ void unwritten_accumulator(unsigned *p) {
	__shared__ unsigned sum;
	CORRECT(if (threadIdx.x == 0) sum = 0;)
	__syncthreads();
	atomicAdd(&sum, threadIdx.x); //@here
	__syncthreads();
	p[threadIdx.x] = sum;
//= P8001 the old value of an atomic operation
}

// == shuffle_mask sync block=32
extern "C" __global__ void shuffle_mask(unsigned *p) {
	p[threadIdx.x] = __shfl_xor_sync(BUGGY(0x7fffffff) CORRECT(0xffffffff), threadIdx.x, 1); //@here
//= P8003 not in its own member mask
}

// == ballot_mask sync block=32
extern "C" __global__ void ballot_mask(unsigned *p) {
	p[threadIdx.x] = __ballot_sync(BUGGY(0xffff) CORRECT(0xffffffff), threadIdx.x & 1); //@here
//= P8003 not in its own member mask
}

// == shuffle_outside sync block=32
extern "C" __global__ void shuffle_outside(unsigned *p) {
	if (threadIdx.x < 16)
		p[threadIdx.x] = __shfl_xor_sync(0xffff, threadIdx.x, 8 BUGGY(* 2)); //@here
//= P8003 not among those that take part
}

// == barrier_in_branch sync block=32
extern "C" __global__ void barrier_in_branch(unsigned *p) {
	__shared__ unsigned s[64];
	unsigned t = threadIdx.x;
#if BUG
	if (t < 16) {
		s[t] = 1;
		__syncthreads(); //@here
		p[t] = s[t];
	} else {
		s[t + 32] = 2;
		p[t + 64] = s[t + 32];
		__syncthreads(); //@other
		p[t] = s[t + 16];
	}
#else
	s[t] = t < 16;
	__syncthreads();
	p[t] = s[t];
#endif
//= P8003 a barrier with .aligned
}

// == copy_not_waited async
extern "C" __global__ void copy_not_waited(unsigned *p) {
	__shared__ unsigned s[64];
	__pipeline_memcpy_async(&s[threadIdx.x], &p[threadIdx.x], 4); //@other
	__pipeline_commit();
	CORRECT(__pipeline_wait_prior(0);)
	p[threadIdx.x + 64] = s[threadIdx.x]; //@here
	__pipeline_wait_prior(0);
//= P8005 read of 4 bytes of shared memory
}

// == copy_one_too_few async
extern "C" __global__ void copy_one_too_few(unsigned *p) {
	__shared__ unsigned s[2][64];
	__pipeline_memcpy_async(&s[0][threadIdx.x], &p[threadIdx.x], 4);
	__pipeline_commit();
	__pipeline_memcpy_async(&s[1][threadIdx.x], &p[threadIdx.x + 64], 4); //@other
	__pipeline_commit();
	__pipeline_wait_prior(BUGGY(1) CORRECT(0));
	p[threadIdx.x + 128] = s[1][threadIdx.x]; //@here
	__pipeline_wait_prior(0);
//= P8005 read of 4 bytes of shared memory
}

// == copy_shared_without_barrier race
extern "C" __global__ void copy_shared_without_barrier(unsigned *p) {
	__shared__ unsigned s[64];
	unsigned v = 0;
	for (unsigned i = 0; i < 2; i++) {
		__pipeline_memcpy_async(&s[threadIdx.x], &p[threadIdx.x + 64 * i], 4); //@here
		__pipeline_commit();
		__pipeline_wait_prior(0);
		__syncthreads();
		v += s[threadIdx.x ^ 32]; //@other
		CORRECT(__syncthreads();)
	}
	p[threadIdx.x + 128] = v;
}

// == copy_left leak
extern "C" __global__ void copy_left(unsigned *p) {
	__shared__ unsigned s[64];
	if (p[7] == 0)
		__pipeline_memcpy_async(&s[threadIdx.x], &p[threadIdx.x], 4); //@other
	CORRECT(__pipeline_commit();)
	CORRECT(__pipeline_wait_prior(0);)
//= P8007 copy to
}

// == malloc_left leak
extern "C" __global__ void malloc_left(unsigned *p) {
	unsigned *q = (unsigned *)malloc(64); //@other
	q[threadIdx.x & 15] = threadIdx.x;
	p[threadIdx.x] = q[p[threadIdx.x + 64]];
	CORRECT(free(q);)
//= P8007 which a kernel has allocated
}

// == flag_never_set sync
extern "C" __global__ void flag_never_set(unsigned *p) {
	__shared__ volatile unsigned flag;
	if (threadIdx.x == 0)
		flag = 0;
	__syncthreads();
	if (threadIdx.x == 32)
		BUGGY(p[0] = 1) CORRECT(flag = 1);
	while (flag == 0) //@here
		;
	p[threadIdx.x] = flag;
//= P8010 a loop that can never end
}

// == lock_kept sync
__device__ unsigned kept;
extern "C" __global__ void lock_kept(unsigned *p) {
	if (threadIdx.x % 32 == 0) {
		while (atomicCAS(&kept, 0, 1) != 0) //@here
			__nanosleep(20);
		p[0]++;
		__threadfence();
		CORRECT(atomicExch(&kept, 0);)
	}
//= P8010 a loop that can never end
}
