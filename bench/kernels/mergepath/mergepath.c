#include "native.h"

void once(arg *a) {
  const int32_t *restrict x = S32(0), *restrict y = S32(1);
  int32_t *restrict out = S32(2);
  int n = INT(3);
  for (int i = 0, j = 0; i + j < 2 * n;) {
    int first = j >= n || (i < n && x[i] <= y[j]);
    out[i + j] = first ? x[i] : y[j];
    i += first;
    j += !first;
  }
}
