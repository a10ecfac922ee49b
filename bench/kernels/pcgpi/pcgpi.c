#include "native.h"

static inline uint32_t pcg(uint64_t *state, uint64_t inc) {
  uint64_t old = *state;
  *state = old * 6364136223846793005ull + inc;
  uint32_t x = (uint32_t)(((old >> 18) ^ old) >> 27), r = (uint32_t)(old >> 59);
  return (x >> r) | (x << (-r & 31));
}

void once(arg *a) {
  int rounds = INT(1), threads = a[0].bytes / 4;
  for (int t0 = 0; t0 < threads; t0 += 16) {
    uint64_t state[16], inc[16];
    uint32_t in[16] = {0};
    for (int l = 0; l < 16; l++) {
      state[l] = (uint32_t)(t0 + l) * 0x9e3779b97f4a7c15ull + 1;
      inc[l] = 2ull * (t0 + l) + 1;
    }
    for (int k = 0; k < rounds; k++)
      for (int l = 0; l < 16; l++) {
        uint64_t x = pcg(&state[l], inc[l]) >> 16, y = pcg(&state[l], inc[l]) >> 16;
        in[l] += x * x + y * y < (1ull << 32);
      }
    for (int l = 0; l < 16; l++)
      U32(0)[t0 + l] = in[l];
  }
}
