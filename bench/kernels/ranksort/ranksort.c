#include "native.h"

void once(arg *a) {
  const float *restrict in = F32(0);
  float *restrict out = F32(1);
  int n = INT(2);
  for (int i = 0; i < n; i++) {
    float v = in[i];
    int rank = 0;
    for (int j = 0; j < n; j++)
      rank += (in[j] < v) | ((in[j] == v) & (j < i));
    out[rank] = v;
  }
}
