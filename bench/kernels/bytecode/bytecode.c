#include "native.h"

static int execute(const uint8_t *code, int length, uint32_t a, int32_t b) {
  for (int pc = 0; pc < length; pc++)
    switch (code[pc]) {
    case 0: a += b; break;
    case 1: b ^= a; break;
    case 2: a *= 31; break;
    case 3: b = (int32_t)a >> 3; break;
    case 4: a -= 17; break;
    case 5: b = (int32_t)a > b ? (int32_t)a : b; break;
    case 6: pc += a & 1; break;
    default: a = ~a; break;
    }
  return a ^ b;
}

void once(arg *a) {
  int length = INT(2), n = INT(3);
  for (int i = 0; i < n; i++)
    S32(1)[i] = execute(a[0].p, length, S32(1)[i], i);
}
