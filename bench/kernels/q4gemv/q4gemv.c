#include "native.h"

void once(arg *a) {
  const uint32_t *restrict q = U32(0);
  const float *restrict scale = F32(1), *restrict x = F32(2);
  float *restrict y = F32(3);
  int rows = INT(4), groups = INT(5);
  for (int r0 = 0; r0 < rows; r0 += 32) {
    int n = rows - r0 < 32 ? rows - r0 : 32;
    float sum[32] = {0};
    for (int g = 0; g < groups; g++) {
      float part[32] = {0};
      for (int k = 0; k < 4; k++)
        for (int i = 0; i < 8; i++)
          for (int l = 0; l < n; l++)
            part[l] = FMA((float)((int)(q[(g * 4 + k) * rows + r0 + l] >> 4 * i & 15) - 8), x[g * 32 + k * 8 + i], part[l]);
      for (int l = 0; l < n; l++)
        sum[l] = FMA(part[l], scale[g * rows + r0 + l], sum[l]);
    }
    for (int l = 0; l < n; l++)
      y[r0 + l] = sum[l];
  }
}
