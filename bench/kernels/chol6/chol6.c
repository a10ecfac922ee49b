#include "native.h"
#include <math.h>

#define LANES 16 // matrices at a time, for vectors

void once(arg *a) {
  const float *restrict in = F32(0);
  float *restrict out = F32(1);
  int count = INT(2);
  for (int t = 0; t < count; t += LANES) {
    float m[6][6][LANES];
    for (int i = 0; i < 6; i++)
      for (int j = 0; j <= i; j++)
        for (int l = 0; l < LANES; l++)
          m[i][j][l] = in[(i * 6 + j) * count + t + l];
    for (int j = 0; j < 6; j++) {
      for (int k = 0; k < j; k++)
        for (int i = j; i < 6; i++)
          for (int l = 0; l < LANES; l++)
            m[i][j][l] = FMA(-m[i][k][l], m[j][k][l], m[i][j][l]);
      for (int l = 0; l < LANES; l++)
        m[j][j][l] = sqrtf(m[j][j][l]);
      for (int i = j + 1; i < 6; i++)
        for (int l = 0; l < LANES; l++)
          m[i][j][l] /= m[j][j][l];
    }
    for (int i = 0; i < 6; i++)
      for (int j = 0; j <= i; j++)
        for (int l = 0; l < LANES; l++)
          out[(i * 6 + j) * count + t + l] = m[i][j][l];
  }
}
