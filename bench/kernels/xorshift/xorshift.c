#include "native.h"

void once(arg *a) {
  const uint32_t *restrict seed = U32(0);
  int32_t *restrict far = S32(1);
  int steps = INT(2), n = INT(3);
  for (int i = 0; i < n; i++) {
    uint32_t s0 = seed[i], s1 = seed[n + i], s2 = seed[2 * n + i], s3 = seed[3 * n + i] | 1;
    int x = 0, y = 0, most = 0;
    for (int k = 0; k < steps; k++) {
      uint32_t t = s3;
      t ^= t << 11;
      t ^= t >> 8;
      s3 = s2, s2 = s1, s1 = s0;
      s0 ^= t ^ s0 >> 19;
      int by = 1 - (int)(s0 & 1) * 2, up = s0 >> 1 & 1;
      x += up ? 0 : by;
      y += up ? by : 0;
      int d = x * x + y * y;
      most = d > most ? d : most;
    }
    far[i] = most;
  }
}
