#include "native.h"

void once(arg *a) {
  int32_t *d = S32(0);
  int n = INT(1);
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++) {
      int32_t *restrict row = d + i * n, *through = d + k * n, ik = row[k];
      if (i == k)
        continue; // ways from k through k are no shorter
      for (int j = 0; j < n; j++) {
        int v = ik + through[j];
        row[j] = v < row[j] ? v : row[j];
      }
    }
}
