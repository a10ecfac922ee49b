#include "native.h"

// Two vectors of sixteen threads at a time: a thread's operations wait for each other.
typedef uint32_t vec __attribute__((vector_size(64)));
#define STEP(a, b, c, d) \
  a = (a + b) ^ (c >> 3), b = (b - d) | (a << 5), c = (c ^ a) + d, d = (d & b) - (c ^ 0x55555555u)

void once(arg *x) {
  uint32_t *out = x[0].p, rounds = (uint32_t)x[1].v, n = x[0].bytes / 4;
  const vec lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  for (uint32_t i = 0; i < n; i += 32) {
    vec t = lane + i, u = t + 16;
    vec a = t * 2654435761u + 1, b = t ^ 0x9e3779b9u, c = ~t, d = t + 7;
    vec e = u * 2654435761u + 1, f = u ^ 0x9e3779b9u, g = ~u, h = u + 7;
    for (uint32_t r = 0; r < rounds; r++)
#pragma GCC unroll 8
      for (int k = 0; k < 8; k++) {
        STEP(a, b, c, d);
        STEP(e, f, g, h);
      }
    *(vec *)(out + i) = a ^ b ^ c ^ d;
    *(vec *)(out + i + 16) = e ^ f ^ g ^ h;
  }
}
