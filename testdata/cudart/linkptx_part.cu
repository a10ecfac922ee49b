// The other file of linkptx.cu.
extern __device__ int seven;
__device__ int scaled(int x);

__device__ int offset = 1;
__constant__ int factors[4];
__device__ int (*chosen)(int) = scaled;

__global__ void fill(int *p) { p[threadIdx.x] = seven + threadIdx.x; }
