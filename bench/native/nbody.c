#include "native.h"

typedef struct {
  float x, y, z, w;
} vec4;

static float root(float x) { return __builtin_sqrtf(x); }

void once(arg *a) {
  const vec4 *restrict pos = a[0].p;
  vec4 *restrict next = a[1].p, *restrict vel = a[2].p;
  int n = INT(3), all = (n + 63) / 64 * 64;
  float dt = FLT(4), soft = FLT(5);
  const vec4 none = {0, 0, 0, 0};
#pragma omp simd
  for (int i = 0; i < n; i++) {
    float px = pos[i].x, py = pos[i].y, pz = pos[i].z, ax = 0, ay = 0, az = 0;
    for (int j = 0; j < all; j++) {
      vec4 q = j < n ? pos[j] : none;
      float dx = q.x - px, dy = q.y - py, dz = q.z - pz;
      float d2 = FMA(dz, dz, FMA(dy, dy, FMA(dx, dx, soft)));
      float inv = 1.0f / root(d2), s = q.w * (inv * (inv * inv));
      ax = FMA(dx, s, ax), ay = FMA(dy, s, ay), az = FMA(dz, s, az);
    }
    float vx = FMA(ax, dt, vel[i].x), vy = FMA(ay, dt, vel[i].y), vz = FMA(az, dt, vel[i].z);
    vel[i].x = vx, vel[i].y = vy, vel[i].z = vz;
    next[i].x = FMA(vx, dt, px), next[i].y = FMA(vy, dt, py), next[i].z = FMA(vz, dt, pz), next[i].w = pos[i].w;
  }
}
