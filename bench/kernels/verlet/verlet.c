#include "native.h"

void once(arg *a) {
  float *restrict p = F32(0), *restrict v = F32(1), dt = FLT(2);
  int n = INT(3);
  for (int i = 0; i < 4 * n; i += 4) {
    float vx = v[i], vy = FMA(-9.81f, dt, v[i + 1]), vz = v[i + 2];
    float x = FMA(vx, dt, p[i]), y = FMA(vy, dt, p[i + 1]), z = FMA(vz, dt, p[i + 2]);
    v[i] = x < 0 || x > 1 ? -vx : vx;
    v[i + 1] = y < 0 || y > 1 ? -0.9f * vy : vy;
    v[i + 2] = z < 0 || z > 1 ? -vz : vz;
    p[i] = x;
    p[i + 1] = y;
    p[i + 2] = z;
  }
}
