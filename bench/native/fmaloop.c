#include "native.h"

void once(arg *a) {
  float *out = F32(0), m = FLT(1), c = FLT(2);
  int rounds = INT(3), n = a[0].bytes / 4;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    float v0 = i, v1 = i + 1, v2 = i + 2, v3 = i + 3, v4 = i + 4, v5 = i + 5, v6 = i + 6, v7 = i + 7;
    for (int r = 0; r < rounds; r++) {
      v0 = FMA(v0, m, c), v1 = FMA(v1, m, c), v2 = FMA(v2, m, c), v3 = FMA(v3, m, c);
      v4 = FMA(v4, m, c), v5 = FMA(v5, m, c), v6 = FMA(v6, m, c), v7 = FMA(v7, m, c);
    }
    out[i] = v0 + v1 + v2 + v3 + v4 + v5 + v6 + v7;
  }
}
