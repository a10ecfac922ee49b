#include "lanes.h"

#define ALL(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define DECLARE(k) fvec v##k = k ? last + c : TO_FLOAT(id); last = v##k;
#define CHAIN(k) v##k = fused(v##k, m, c);
#define SUM(k) sum = k ? sum + v##k : v##k;

void once(arg *a) {
  float *restrict out = F32(0), mf = FLT(1), cf = FLT(2);
  uint32_t turns = INT(3), n = a[0].bytes / 4;
  EACH_THREAD
  for (uint32_t i = 0; i < n; i += STEP) {
    uvec id = lane_numbers() + i;
    fvec m = mf - (fvec){0}, c = cf - (fvec){0}, last = c, sum = c;
    ALL(DECLARE)
    for (uint32_t r = 0; r < turns; r++) {
      ALL(CHAIN)
    }
    ALL(SUM)
    *(fvec_u *)(out + i) = sum;
  }
}
