#include "native.h"

void once(arg *a) {
  const double *restrict l = a[0].p;
  double *b = a[1].p;
  int n = INT(2);
  for (int i = 0; i < 8; i++) {
    double *restrict x = b + i * n;
    for (int j = 0; j < i; j++) {
      const double *restrict y = b + j * n;
      for (int t = 0; t < n; t++)
        x[t] = __builtin_fma(-l[i * 8 + j], y[t], x[t]);
    }
    for (int t = 0; t < n; t++)
      x[t] /= l[i * 9];
  }
}
