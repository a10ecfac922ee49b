// Numbers become ten digits each.
__attribute__((nvptx_kernel)) void itoa(const unsigned *in, unsigned char *out, int n) {
  int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
  if (i >= n)
    return;
  unsigned v = in[i];
  for (int k = 9; k >= 0; k--, v /= 10)
    out[i * 10 + k] = '0' + v % 10;
}
