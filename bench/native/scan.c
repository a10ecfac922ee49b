#include "native.h"

// The buffers of the kernel's bookkeeping get what it leaves there.
void once(arg *a) {
  const uint32_t *restrict in = U32(0);
  uint32_t *restrict out = U32(1), sum = 0;
  int n = INT(4), tiles = a[3].bytes / 8;
  for (int i = 0; i < n; i++)
    out[i] = sum += in[i];
  U32(2)[0] = tiles;
  for (int t = 0; t < tiles; t++) {
    int end = (t + 1) * 512 < n ? (t + 1) * 512 : n;
    ((uint64_t *)a[3].p)[t] = 2ull << 32 | out[end - 1];
  }
}
