#include "native.h"

void once(arg *a) {
  for (size_t b = 0; b < a[0].bytes / 2048; b++) {
    int32_t *s = S32(0) + b * 512;
    for (int h = 1; h < 512; h *= 2)
      for (int i = 0; i < 512; i += 2 * h)
        for (int j = i; j < i + h; j++) {
          int u = s[j], v = s[j + h];
          s[j] = u + v;
          s[j + h] = u - v;
        }
  }
}
