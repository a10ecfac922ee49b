#include "native.h"
#include <math.h>

static inline float cnd(float d) {
  float k = 1 / (1 + 0.2316419f * fabsf(d));
  float poly = k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float tail = 0.39894228040f * expf(-0.5f * d * d) * poly;
  return d > 0 ? 1 - tail : tail;
}

void once(arg *a) {
  const float *restrict price = F32(0), *restrict strike = F32(1), *restrict years = F32(2);
  float *restrict call = F32(3), *restrict put = F32(4), rate = FLT(5), vol = FLT(6);
  int n = INT(7);
#pragma omp simd
  for (int i = 0; i < n; i++) {
    float s = price[i], x = strike[i], t = years[i], root = sqrtf(t);
    float d1 = (logf(s / x) + (rate + 0.5f * vol * vol) * t) / (vol * root), d2 = d1 - vol * root;
    float discount = expf(-rate * t), c1 = cnd(d1), c2 = cnd(d2);
    call[i] = s * c1 - x * discount * c2;
    put[i] = x * discount * (1 - c2) - s * (1 - c1);
  }
}
