#include "native.h"

void once(arg *a) {
  uint32_t e = a[2].v, m = a[3].v;
  int n = INT(4);
  for (int i = 0; i < n; i++) {
    uint64_t x = U32(0)[i] % m, p = 1;
    for (uint32_t k = e; k; k >>= 1) {
      if (k & 1)
        p = p * x % m;
      x = x * x % m;
    }
    U32(1)[i] = p;
  }
}
