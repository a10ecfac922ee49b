#include "native.h"
#include <string.h>

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#define L 16 // messages at a time; those that are shorter wait, masked
#define ROT(x, n) ((x) >> (n) | (x) << (32 - (n)))

static void compress(uint32_t h[8][L], uint32_t w[16][L], const uint32_t on[L]) {
#pragma omp simd
  for (int l = 0; l < L; l++) {
    uint32_t a = h[0][l], b = h[1][l], c = h[2][l], d = h[3][l], e = h[4][l], f = h[5][l], g = h[6][l], x = h[7][l];
    uint32_t s[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
      s[i] = w[i][l];
#pragma GCC unroll 64
    for (int i = 0; i < 64; i++) {
      if (i >= 16) {
        uint32_t p = s[(i + 1) & 15], q = s[(i + 14) & 15];
        s[i & 15] += (ROT(p, 7) ^ ROT(p, 18) ^ p >> 3) + s[(i + 9) & 15] + (ROT(q, 17) ^ ROT(q, 19) ^ q >> 10);
      }
      uint32_t t1 = x + (ROT(e, 6) ^ ROT(e, 11) ^ ROT(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + s[i & 15];
      uint32_t t2 = (ROT(a, 2) ^ ROT(a, 13) ^ ROT(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      x = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    uint32_t m = on[l];
    h[0][l] += a & m, h[1][l] += b & m, h[2][l] += c & m, h[3][l] += d & m;
    h[4][l] += e & m, h[5][l] += f & m, h[6][l] += g & m, h[7][l] += x & m;
  }
}

// One block of a message, padding included, as big-endian words.
static void words(uint32_t w[16][L], int l, const uint8_t *p, uint32_t size, uint32_t blocks, uint32_t b) {
  uint8_t buf[64];
  for (int i = 0; i < 64; i++) {
    uint32_t at = b * 64 + i, end = blocks * 64 - 1 - at;
    buf[i] = at < size ? p[at] : at == size ? 0x80 : end < 4 ? size * 8 >> 8 * end : 0;
  }
  for (int i = 0; i < 16; i++) {
    uint32_t v;
    memcpy(&v, buf + 4 * i, 4);
    w[i][l] = __builtin_bswap32(v);
  }
}

void once(arg *a) {
  static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const uint8_t *data = a[0].p;
  const uint32_t *starts = U32(1);
  uint32_t *digests = U32(2), n = (uint32_t)a[3].v;
  for (uint32_t m = 0; m < n; m += L) {
    uint32_t h[8][L], w[16][L] = {{0}}, on[L], any = 1;
    for (int i = 0; i < 8; i++)
      for (int l = 0; l < L; l++)
        h[i][l] = start[i];
    for (uint32_t b = 0; any; b++) {
      any = 0;
      for (uint32_t l = 0; l < L; l++) {
        uint32_t size = m + l < n ? starts[m + l + 1] - starts[m + l] : 0, blocks = (size + 8) / 64 + 1;
        on[l] = m + l < n && b < blocks ? -1 : 0;
        any |= m + l < n && b + 1 < blocks;
        if (on[l])
          words(w, l, data + starts[m + l], size, blocks, b);
      }
      compress(h, w, on);
    }
    for (uint32_t l = 0; l < L && m + l < n; l++)
      for (int i = 0; i < 8; i++)
        digests[(m + l) * 8 + i] = __builtin_bswap32(h[i][l]);
  }
}
