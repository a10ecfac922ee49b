// SipHash-2-4 of keys of 16 bytes.
__device__ void turn(unsigned long long *v) {
  v[0] += v[1], v[2] += v[3];
  v[1] = (v[1] << 13 | v[1] >> 51) ^ v[0];
  v[3] = (v[3] << 16 | v[3] >> 48) ^ v[2];
  v[0] = v[0] << 32 | v[0] >> 32;
  v[2] += v[1], v[0] += v[3];
  v[1] = (v[1] << 17 | v[1] >> 47) ^ v[2];
  v[3] = (v[3] << 21 | v[3] >> 43) ^ v[0];
  v[2] = v[2] << 32 | v[2] >> 32;
}

extern "C" __global__ void siphash(const ulonglong2 *keys, unsigned long long *hash, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned long long v[4] = {0x736f6d6570736575, 0x646f72616e646f6d, 0x6c7967656e657261, 0x7465646279746573};
  unsigned long long m[3] = {keys[i].x, keys[i].y, 16ull << 56};
  for (int k = 0; k < 3; k++) {
    v[3] ^= m[k];
    turn(v);
    turn(v);
    v[0] ^= m[k];
  }
  v[2] ^= 255;
  for (int k = 0; k < 4; k++)
    turn(v);
  hash[i] = v[0] ^ v[1] ^ v[2] ^ v[3];
}
