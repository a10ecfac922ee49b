#include "native.h"

static const float coef[16] = {1,    -0.5f,  0.25f, -0.125f, 0.0625f, -0.03125f, 0.3f,  -0.2f,
                               0.1f, -0.05f, 0.7f,  -0.6f,   0.55f,   -0.45f,    0.35f, -0.15f};

void once(arg *a) {
  const float *restrict x = F32(0);
  float *restrict y = F32(1);
  int n = INT(2);
  for (int i = 0; i < n; i++) {
    float p = coef[15];
    for (int k = 14; k >= 0; k--)
      p = FMA(p, x[i], coef[k]);
    y[i] = p;
  }
}
