#include "native.h"

// Sixteen threads a vector: eight chains of fused operations, which do not wait for each other.
typedef float vec __attribute__((vector_size(64)));

static inline vec fused(vec a, vec b, vec c) {
  vec d;
#pragma omp simd
  for (int l = 0; l < 16; l++)
    d[l] = FMA(a[l], b[l], c[l]);
  return d;
}

void once(arg *a) {
  float *out = F32(0);
  vec m = FLT(1) - (vec){0}, c = FLT(2) - (vec){0};
  int rounds = INT(3), n = a[0].bytes / 4;
  const vec lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  for (int i = 0; i < n; i += 16) {
    vec v[8];
    for (int k = 0; k < 8; k++)
      v[k] = lane + (float)(i + k);
    for (int r = 0; r < rounds; r++)
#pragma GCC unroll 8
      for (int k = 0; k < 8; k++)
        v[k] = fused(v[k], m, c);
    vec s = v[0];
    for (int k = 1; k < 8; k++)
      s += v[k];
    *(vec *)(out + i) = s;
  }
}
