#include "native.h"

void once(arg *a) {
  const float *restrict x = F32(0), *restrict c = F32(1);
  int32_t *restrict which = S32(2);
  int n = INT(3);
  for (int i = 0; i < n; i++) {
    float best = 1e30f;
    int at = 0;
    for (int k = 0; k < 16; k++) {
      float d = 0;
      for (int j = 0; j < 4; j++) {
        float e = x[j * n + i] - c[k * 4 + j];
        d = FMA(e, e, d);
      }
      at = d < best ? k : at;
      best = d < best ? d : best;
    }
    which[i] = at;
  }
}
