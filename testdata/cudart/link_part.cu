// The other file of link.cu.
__device__ int offset = 1;
__device__ int twice(int x) { return 2 * x; }
