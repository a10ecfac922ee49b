#include "native.h"

void once(arg *a) {
  const uint8_t *data = a[0].p;
  uint32_t table[256];
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++)
      c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  int count = INT(2);
  for (int i = 0; i < count; i++) {
    uint32_t v = ~0u;
    for (int k = 0; k < 64; k++)
      v = table[(v ^ data[i * 64 + k]) & 255] ^ (v >> 8);
    U32(1)[i] = ~v;
  }
}
