#include "native.h"

void once(arg *a) {
  const float *restrict x = F32(0), *restrict y = F32(1);
  int n = INT(3), blocks = a[2].bytes / 4;
  for (int b = 0; b < blocks; b++) {
    float s[256] = {0};
    for (int i = b * 256; i < n; i += blocks * 256)
      for (int l = 0; l < 256; l++)
        s[l] = FMA(x[i + l], y[i + l], s[l]);
    for (int o = 128; o > 0; o /= 2)
      for (int l = 0; l < o; l++)
        s[l] += s[l + o];
    F32(2)[b] = s[0];
  }
}
