#include "native.h"

void once(arg *a) {
  const int32_t *restrict in = S32(0);
  int32_t *restrict out = S32(1);
  int n = INT(2);
  for (int i = 0, m = 0; i < n; i++)
    out[i] = m = i % 32 == 0 || in[i] > m ? in[i] : m;
}
