// Greatest common divisors: lanes that loop for unequal times, in a function that is called.
__attribute__((noinline)) static unsigned long long gcd(unsigned long long a, unsigned long long b) {
  while (b != 0) {
    unsigned long long r = a % b;
    a = b;
    b = r;
  }
  return a;
}

__attribute__((nvptx_kernel)) void gcds(const unsigned long long *a, const unsigned long long *b, unsigned long long *out, int n) {
  int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
  if (i < n)
    out[i] = gcd(a[i], b[i]);
}
