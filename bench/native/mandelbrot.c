#include "native.h"

// Sixteen points at a time, masked: neither compiler vectorises the loop with its exit.
#define L 16

void once(arg *a) {
  uint16_t *out = a[0].p;
  int w = INT(1), h = INT(2), limit = INT(6);
  float x0 = FLT(3), y0 = FLT(4), step = FLT(5);
  for (int py = 0; py < h; py++)
    for (int px = 0; px < w; px += L) {
      float cx[L], cy = FMA((float)py, step, y0), x[L], y[L];
      int32_t it[L], on[L], any = 1;
      for (int l = 0; l < L; l++)
        cx[l] = FMA((float)(px + l), step, x0), x[l] = y[l] = 0, it[l] = 0, on[l] = -1;
      for (int k = 0; k < limit && any; k++) {
        any = 0;
#pragma omp simd reduction(| : any)
        for (int l = 0; l < L; l++) {
          float xx = x[l] * x[l], yy = y[l] * y[l], xy = x[l] * y[l];
          on[l] &= -!(xx + yy > 4.0f);
          it[l] -= on[l];
          y[l] = FMA(2.0f, xy, cy);
          x[l] = xx - yy + cx[l];
          any |= on[l];
        }
      }
      for (int l = 0; l < L && px + l < w; l++)
        out[py * w + px + l] = it[l];
    }
}
