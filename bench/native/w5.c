#include "lanes.h"

void once(arg *a) {
  uint32_t *restrict out = U32(0), first = (uint32_t)a[1].v, n = a[0].bytes / 4;
#if LANES // masked
  for (uint32_t i = 0; i < n; i += LANES) {
    uvec v = lane_numbers() + i + first, count = v ^ v, on = (uvec)(v != 1);
    for (;;) {
      uint32_t any = 0;
      for (int l = 0; l < LANES; l++)
        any |= on[l];
      if (!any)
        break;
      uvec odd = (uvec)((v & 1) == 1), next = (odd & (v * 3 + 1)) | (~odd & (v >> 1));
      v = (on & next) | (~on & v);
      count -= on;
      on &= (uvec)(v != 1);
    }
    *(uvec_u *)(out + i) = count;
  }
#else
  for (uint32_t i = 0; i < n; i++) {
    uint32_t v = first + i, count = 0;
    for (; v != 1; count++)
      v = v & 1 ? 3 * v + 1 : v >> 1;
    out[i] = count;
  }
#endif
}
