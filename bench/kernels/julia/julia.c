#include "native.h"

void once(arg *a) {
  int w = INT(1), h = INT(2), limit = INT(3);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      double re = __builtin_fma(x, 3.0 / w, -1.5), im = __builtin_fma(y, 2.0 / h, -1.0);
      int k = 0;
      for (; k < limit; k++) {
        double r2 = re * re, i2 = im * im;
        if (__builtin_fma(re, re, i2) > 4)
          break;
        im = __builtin_fma(2 * re, im, 0.156);
        re = __builtin_fma(re, re, -i2) - 0.8;
      }
      S32(0)[y * w + x] = k;
    }
}
