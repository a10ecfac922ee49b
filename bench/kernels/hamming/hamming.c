#include "native.h"

void once(arg *a) {
  const uint64_t *restrict x = a[0].p, *restrict codes = a[1].p;
  int n = INT(3);
  for (int i = 0; i < n; i++) {
    int best = 1000, at = 0;
    for (int k = 0; k < 64; k++) {
      int d = __builtin_popcountll(x[2 * i] ^ codes[2 * k]) + __builtin_popcountll(x[2 * i + 1] ^ codes[2 * k + 1]);
      if (d < best) {
        best = d;
        at = k;
      }
    }
    S32(2)[i] = at;
  }
}
