#include "native.h"

// Four tables, so that equal neighbours do not wait for each other.
void once(arg *a) {
  const uint8_t *data = a[0].p;
  uint32_t *bins = U32(1), t[4][256] = {{0}};
  int n = INT(2), i = 0;
  for (; i + 4 <= n; i += 4)
    t[0][data[i]]++, t[1][data[i + 1]]++, t[2][data[i + 2]]++, t[3][data[i + 3]]++;
  for (; i < n; i++)
    t[0][data[i]]++;
  for (int b = 0; b < 256; b++)
    bins[b] += t[0][b] + t[1][b] + t[2][b] + t[3][b];
}
