// What k.ptx says its source is. Each block of 64 threads turns its numbers round.
__device__ unsigned twice(unsigned x) {
	return x + x;
}

__global__ void k(unsigned *out, unsigned n) {
	__shared__ unsigned s[64];
	unsigned x = 10 * threadIdx.x;
	if (threadIdx.x & 1)
		x += 5;
	else
		x += 1;
	for (unsigned i = 0; i < n; i++)
		x = twice(x);
	s[threadIdx.x] = x;
	__syncthreads();
	out[threadIdx.x] = s[63 - threadIdx.x];
}
