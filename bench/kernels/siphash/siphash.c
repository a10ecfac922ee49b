#include "native.h"

static inline uint64_t rotate(uint64_t v, int n) { return v << n | v >> (64 - n); }

static inline void turn(uint64_t *v) {
  v[0] += v[1], v[2] += v[3];
  v[1] = rotate(v[1], 13) ^ v[0];
  v[3] = rotate(v[3], 16) ^ v[2];
  v[0] = rotate(v[0], 32);
  v[2] += v[1], v[0] += v[3];
  v[1] = rotate(v[1], 17) ^ v[2];
  v[3] = rotate(v[3], 21) ^ v[0];
  v[2] = rotate(v[2], 32);
}

void once(arg *a) {
  const uint64_t *restrict keys = a[0].p;
  uint64_t *restrict hash = a[1].p;
  int n = INT(2);
  for (int i = 0; i < n; i++) {
    uint64_t v[4] = {0x736f6d6570736575, 0x646f72616e646f6d, 0x6c7967656e657261, 0x7465646279746573};
    uint64_t m[3] = {keys[2 * i], keys[2 * i + 1], 16ull << 56};
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
}
