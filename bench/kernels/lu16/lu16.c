#include "native.h"

void once(arg *a) {
  for (size_t b = 0; b < a[0].bytes / 2048; b++) {
    double(*s)[16] = (double(*)[16])((double *)a[0].p + b * 256);
    for (int k = 0; k < 15; k++)
      for (int y = k + 1; y < 16; y++) {
        double f = s[y][k] = s[y][k] / s[k][k];
        for (int x = k + 1; x < 16; x++)
          s[y][x] = __builtin_fma(-f, s[k][x], s[y][x]);
      }
  }
}
