#include "native.h"

static __attribute__((noinline)) uint32_t gcd(uint32_t a, uint32_t b) {
  while (b) {
    uint32_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}

static __attribute__((noinline)) uint32_t power(uint32_t x, uint32_t e) {
  uint32_t p = 1;
  for (; e; e >>= 1, x *= x)
    if (e & 1)
      p *= x;
  return p;
}

void once(arg *a) {
  int n = INT(3);
  for (int i = 0; i < n; i++)
    U32(2)[i] = power(U32(0)[i], gcd(U32(0)[i], U32(1)[i]) & 15);
}
