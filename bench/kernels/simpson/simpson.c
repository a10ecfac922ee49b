#include "native.h"

void once(arg *a) {
  const double *restrict upper = a[0].p;
  double *restrict area = a[1].p;
  int steps = INT(2), n = INT(3);
  for (int t = 0; t < n; t += 8) {
    double h[8], sum[8] = {0};
    for (int l = 0; l < 8; l++)
      h[l] = upper[t + l] / steps;
    for (int k = 0; k <= steps; k++) {
      double w = k == 0 || k == steps ? 1 : k & 1 ? 4 : 2;
      for (int l = 0; l < 8; l++) {
        double x = k * h[l];
        sum[l] = __builtin_fma(w, __builtin_fma(x, 3, 1) / __builtin_fma(x, x, 1), sum[l]);
      }
    }
    for (int l = 0; l < 8; l++)
      area[t + l] = sum[l] * h[l] / 3;
  }
}
