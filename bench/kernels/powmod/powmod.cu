// Powers modulo a number of 32 bits, products of 64.
extern "C" __global__ void powmod(const unsigned *base, unsigned *out, unsigned e, unsigned m, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned long long x = base[i] % m, p = 1;
  for (unsigned k = e; k; k >>= 1) {
    if (k & 1)
      p = p * x % m;
    x = x * x % m;
  }
  out[i] = p;
}
