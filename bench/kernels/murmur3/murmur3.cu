// MurmurHash3 of keys of four words.
__device__ unsigned mix(unsigned h, unsigned k) {
  k *= 0xcc9e2d51;
  k = __funnelshift_l(k, k, 15) * 0x1b873593;
  h ^= k;
  return __funnelshift_l(h, h, 13) * 5 + 0xe6546b64;
}

extern "C" __global__ void murmur3(const uint4 *keys, unsigned *hash, unsigned seed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  uint4 k = keys[i];
  unsigned h = mix(mix(mix(mix(seed, k.x), k.y), k.z), k.w) ^ 16;
  h = (h ^ h >> 16) * 0x85ebca6b;
  h = (h ^ h >> 13) * 0xc2b2ae35;
  hash[i] = h ^ h >> 16;
}
