#include "lanes.h"

// A row of 256 for each of the rows of out, which have 32 columns; one sum after the other, as in the kernel.
void once(arg *a) {
  const float *restrict x = F32(0), *restrict y = F32(1);
  float *restrict out = F32(2);
  uint32_t rounds = INT(3), rows = a[2].bytes / 4 / 32;
  for (uint32_t row = 0; row < rows; row++)
    EACH_THREAD
    for (uint32_t i = 0; i < 32; i += STEP) {
      fvec sum = {0};
      for (uint32_t r = 0; r < rounds; r++)
        for (uint32_t k = 0; k < 256; k += 4) {
          sum = fused(x[row * 256 + k] - (fvec){0}, *(const fvec_u *)(y + k * 32 + i), sum);
          sum = fused(x[row * 256 + k + 1] - (fvec){0}, *(const fvec_u *)(y + k * 32 + 32 + i), sum);
          sum = fused(x[row * 256 + k + 2] - (fvec){0}, *(const fvec_u *)(y + k * 32 + 64 + i), sum);
          sum = fused(x[row * 256 + k + 3] - (fvec){0}, *(const fvec_u *)(y + k * 32 + 96 + i), sum);
        }
      *(fvec_u *)(out + row * 32 + i) = sum;
    }
}
