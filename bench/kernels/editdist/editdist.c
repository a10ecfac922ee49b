#include "native.h"

static inline int min(int a, int b) { return a < b ? a : b; }

static int distance(const uint8_t *a, const uint8_t *b) {
  int row[25];
  for (int j = 0; j <= 24; j++)
    row[j] = j;
  for (int i = 0; i < 24; i++) {
    int diagonal = row[0], c = a[i];
    row[0] = i + 1;
    for (int j = 0; j < 24; j++) {
      int up = row[j + 1];
      row[j + 1] = min(diagonal + (c != b[j]), min(up, row[j]) + 1);
      diagonal = up;
    }
  }
  return row[24];
}

void once(arg *a) {
  const uint8_t *x = a[0].p, *y = a[1].p;
  int count = INT(3);
  for (int t = 0; t < count; t++)
    S32(2)[t] = distance(x + t * 24, y + t * 24);
}
