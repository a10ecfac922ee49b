#include "native.h"

void once(arg *a) {
  const char *restrict text = a[0].p, *restrict word = a[1].p;
  int lines = INT(3);
  for (int l = 0; l < lines; l++) {
    int n = 0;
    for (int i = 0; i <= 60; i++) {
      const char *p = text + l * 64 + i;
      n += (p[0] == word[0]) & (p[1] == word[1]) & (p[2] == word[2]) & (p[3] == word[3]);
    }
    S32(2)[l] = n;
  }
}
