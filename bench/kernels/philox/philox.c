#include "native.h"

void once(arg *a) {
  uint32_t *restrict out = U32(0), key = a[1].v;
  int n = INT(2);
  for (int i = 0; i < n; i++) {
    uint32_t x = i, y = 0, z = 0, w = 0, k0 = key, k1 = ~key;
    for (int r = 0; r < 10; r++) {
      uint64_t p = (uint64_t)0xd2511f53 * x, q = (uint64_t)0xcd9e8d57 * z;
      x = (uint32_t)(q >> 32) ^ y ^ k0;
      z = (uint32_t)(p >> 32) ^ w ^ k1;
      y = (uint32_t)q;
      w = (uint32_t)p;
      k0 += 0x9e3779b9;
      k1 += 0xbb67ae85;
    }
    out[4 * i] = x;
    out[4 * i + 1] = y;
    out[4 * i + 2] = z;
    out[4 * i + 3] = w;
  }
}
