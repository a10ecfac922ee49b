#include "native.h"

static inline uint8_t next(const uint8_t *u, const uint8_t *m, const uint8_t *d, int l, int x, int r) {
  int n = u[l] + u[x] + u[r] + m[l] + m[r] + d[l] + d[x] + d[r];
  return (n == 3) | ((n == 2) & m[x]);
}

void once(arg *a) {
  const uint8_t *restrict in = a[0].p;
  uint8_t *restrict out = a[1].p;
  int w = INT(2), h = INT(3);
  for (int y = 0; y < h; y++) {
    const uint8_t *m = in + y * w, *u = in + (y ? y - 1 : h - 1) * w, *d = in + (y + 1 < h ? y + 1 : 0) * w;
    uint8_t *o = out + y * w;
    o[0] = next(u, m, d, w - 1, 0, 1);
    for (int x = 1; x < w - 1; x++)
      o[x] = next(u, m, d, x - 1, x, x + 1);
    o[w - 1] = next(u, m, d, w - 2, w - 1, 0);
  }
}
