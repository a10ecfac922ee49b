#include "native.h"
#include <string.h>

typedef struct {
  float x, y;
} cplx;

void once(arg *a) {
  const cplx *restrict w = a[1].p;
  for (size_t n = 0; n < a[0].bytes / 2048; n++) {
    cplx s[2][256], *d = (cplx *)a[0].p + n * 256;
    memcpy(s[0], d, 2048);
    int from = 0;
    for (int m = 1; m < 256; m *= 2, from = 1 - from)
      for (int j = 0; j < 128; j += m)
        for (int k = 0; k < m; k++) {
          cplx p = s[from][j + k], q = s[from][j + k + 128], f = w[j], e = {p.x - q.x, p.y - q.y};
          s[1 - from][2 * j + k] = (cplx){p.x + q.x, p.y + q.y};
          s[1 - from][2 * j + k + m] = (cplx){FMA(e.x, f.x, -(e.y * f.y)), FMA(e.x, f.y, e.y * f.x)};
        }
    memcpy(d, s[from], 2048);
  }
}
