// Calls through a table of function pointers; the lanes of a warp call different functions.
typedef unsigned (*Op)(unsigned, unsigned);

__device__ __noinline__ unsigned opAdd(unsigned a, unsigned b) { return a + b; }
__device__ __noinline__ unsigned opSub(unsigned a, unsigned b) { return a - b; }
__device__ __noinline__ unsigned opMul(unsigned a, unsigned b) { return a * b; }
__device__ __noinline__ unsigned opMod(unsigned a, unsigned b) { return b ? a % b : a; }
__device__ __noinline__ unsigned opGcd(unsigned a, unsigned b) {
  while (b) {
    unsigned t = a % b;
    a = b;
    b = t;
  }
  return a;
}

__device__ Op ops[5] = {opAdd, opSub, opMul, opMod, opGcd};

extern "C" __global__ void applyOps(const unsigned char *code, const unsigned *a, const unsigned *b, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = ops[code[i]](a[i], b[i]);
}
