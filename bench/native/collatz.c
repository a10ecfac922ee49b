#include "native.h"

void once(arg *a) {
  uint32_t *steps = U32(0), first = (uint32_t)a[1].v, n = (uint32_t)a[2].v;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t v = first + i;
    uint32_t count = 0;
    for (; v != 1; count++)
      v = v & 1 ? 3 * v + 1 : v >> 1;
    steps[i] = count;
  }
}
