#include "native.h"

void once(arg *a) {
  const int32_t *restrict start = S32(0), *restrict col = S32(1);
  const double *restrict val = a[2].p, *restrict x = a[3].p;
  double *restrict y = a[4].p;
  int n = INT(5);
  for (int r = 0; r < n; r++) {
    double s[32] = {0};
    for (int b = start[r], e = start[r + 1]; b < e; b += 32)
      for (int l = 0; l < 32 && l < e - b; l++)
        s[l] = __builtin_fma(val[b + l], x[col[b + l]], s[l]);
    for (int o = 16; o > 0; o /= 2)
      for (int l = 0; l < o; l++)
        s[l] += s[l + o];
    y[r] = s[0];
  }
}
