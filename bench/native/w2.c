#include "lanes.h"

#define ROUND(a, b, c, d, k) d = (a << 5 | a >> 27) + d + (((c ^ d) & b) ^ d) + k;

void once(arg *args) {
  uint32_t *restrict out = args[0].p, turns = (uint32_t)args[1].v, n = args[0].bytes / 4;
  EACH_THREAD
  for (uint32_t i = 0; i < n; i += STEP) {
    uvec a = (lane_numbers() + i) * 2654435761u, b = a ^ 1732584193u, c = a + 4023233417u, d = c ^ 2562383102u;
    for (uint32_t r = 0; r < turns; r++) {
      ROUND(a, b, c, d, 1518500249u)
      ROUND(d, a, b, c, 1859775393u)
      ROUND(c, d, a, b, 2400959708u)
      ROUND(b, c, d, a, 3395469782u)
    }
    *(uvec_u *)(out + i) = a + b + c + d;
  }
}
