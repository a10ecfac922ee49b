// Philox 4x32 of ten rounds: four numbers for each counter.
extern "C" __global__ void philox(uint4 *out, unsigned key, int n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  uint4 c = {i, 0, 0, 0};
  unsigned k0 = key, k1 = ~key;
#pragma unroll
  for (int r = 0; r < 10; r++) {
    unsigned hi0 = __umulhi(0xd2511f53, c.x), lo0 = 0xd2511f53 * c.x;
    unsigned hi1 = __umulhi(0xcd9e8d57, c.z), lo1 = 0xcd9e8d57 * c.z;
    c = {hi1 ^ c.y ^ k0, lo1, hi0 ^ c.w ^ k1, lo0};
    k0 += 0x9e3779b9;
    k1 += 0xbb67ae85;
  }
  out[i] = c;
}
