#include "native.h"

static inline uint8_t min(uint8_t a, uint8_t b) { return a < b ? a : b; }
static inline uint8_t max(uint8_t a, uint8_t b) { return a > b ? a : b; }
static inline uint8_t mid(uint8_t a, uint8_t b, uint8_t c) { return max(min(a, b), min(max(a, b), c)); }

void once(arg *a) {
  const uint8_t *restrict in = a[0].p;
  uint8_t *restrict out = a[1].p;
  int w = INT(2), h = INT(3);
  for (int y = 1; y < h - 1; y++) {
    const uint8_t *p = in + (y - 1) * w, *q = p + w, *r = q + w;
    for (int x = 1; x < w - 1; x++) {
      uint8_t lo = 0, hi = 255, m[3];
      for (int i = 0; i < 3; i++) {
        const uint8_t *row = (i == 0 ? p : i == 1 ? q : r) + x;
        lo = max(lo, min(row[-1], min(row[0], row[1])));
        hi = min(hi, max(row[-1], max(row[0], row[1])));
        m[i] = mid(row[-1], row[0], row[1]);
      }
      out[y * w + x] = mid(lo, mid(m[0], m[1], m[2]), hi);
    }
  }
}
