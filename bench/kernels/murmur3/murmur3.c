#include "native.h"

static inline uint32_t rotate(uint32_t v, int n) { return v << n | v >> (32 - n); }

static inline uint32_t mix(uint32_t h, uint32_t k) {
  return rotate(h ^ rotate(k * 0xcc9e2d51, 15) * 0x1b873593, 13) * 5 + 0xe6546b64;
}

void once(arg *a) {
  const uint32_t *restrict k = U32(0);
  uint32_t *restrict hash = U32(1), seed = a[2].v;
  int n = INT(3);
  for (int i = 0; i < n; i++) {
    uint32_t h = mix(mix(mix(mix(seed, k[4 * i]), k[4 * i + 1]), k[4 * i + 2]), k[4 * i + 3]) ^ 16;
    h = (h ^ h >> 16) * 0x85ebca6b;
    h = (h ^ h >> 13) * 0xc2b2ae35;
    hash[i] = h ^ h >> 16;
  }
}
