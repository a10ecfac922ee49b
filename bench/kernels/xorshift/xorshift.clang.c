// A walk of each thread on a plane, by xorshift128.
__attribute__((nvptx_kernel)) void xorshift(const unsigned *seed, int *far, int steps, int n) {
  int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
  if (i >= n)
    return;
  unsigned s[4] = {seed[i], seed[n + i], seed[2 * n + i], seed[3 * n + i] | 1};
  int x = 0, y = 0, most = 0;
  for (int k = 0; k < steps; k++) {
    unsigned t = s[3];
    t ^= t << 11;
    t ^= t >> 8;
    s[3] = s[2], s[2] = s[1], s[1] = s[0];
    s[0] ^= t ^ s[0] >> 19;
    switch (s[0] & 3) {
    case 0: x++; break;
    case 1: x--; break;
    case 2: y++; break;
    default: y--;
    }
    int d = x * x + y * y;
    most = d > most ? d : most;
  }
  far[i] = most;
}
