#include "native.h"

void once(arg *a) {
  const float *restrict p = F32(0);
  const int32_t *restrict near = S32(1);
  float *restrict force = F32(2), cut2 = FLT(3);
  int n = INT(4);
  for (int i = 0; i < n; i++) {
    float fx = 0, fy = 0, fz = 0;
    for (int k = 0; k < 24; k++) {
      const float *o = p + 4 * near[k * n + i];
      float x = p[4 * i] - o[0], y = p[4 * i + 1] - o[1], z = p[4 * i + 2] - o[2], r2 = FMA(z, z, FMA(y, y, x * x));
      if (r2 < cut2 && r2 > 0) {
        float i2 = 1 / r2, i6 = i2 * i2 * i2, s = i6 * FMA(48.0f, i6, -24.0f) * i2;
        fx = FMA(s, x, fx);
        fy = FMA(s, y, fy);
        fz = FMA(s, z, fz);
      }
    }
    force[4 * i] = fx;
    force[4 * i + 1] = fy;
    force[4 * i + 2] = fz;
    force[4 * i + 3] = 0;
  }
}
