#include "native.h"

static void item(const int32_t *restrict was, int32_t *restrict now, int weight, int value, int n) {
  for (int c = 0; c < weight; c++)
    now[c] = was[c];
  for (int c = weight; c < n; c++) {
    int v = was[c - weight] + value;
    now[c] = v > was[c] ? v : was[c];
  }
}

void once(arg *a) {
  int n = INT(4);
  for (int i = 0; i < 16; i++)
    item(S32(i & 1), S32(1 - (i & 1)), 3 + 7 * i, 10 + 13 * i % 29, n);
}
