// Counts bytes, in freestanding C for clang: no CUDA toolkit, no headers. The counters of a block are in shared memory.
#define shared __attribute__((address_space(3)))
#define atomic_add(p, n) __atomic_fetch_add(p, n, __ATOMIC_RELAXED)

static shared unsigned int counts[256];

__attribute__((nvptx_kernel)) void histogram(const unsigned char *text, int n, unsigned int *totals) {
  int thread = __nvvm_read_ptx_sreg_tid_x(), threads = __nvvm_read_ptx_sreg_ntid_x();
  for (int i = thread; i < 256; i += threads)
    counts[i] = 0;
  __syncthreads();
  for (int i = __nvvm_read_ptx_sreg_ctaid_x() * threads + thread; i < n; i += threads * __nvvm_read_ptx_sreg_nctaid_x())
    atomic_add(&counts[text[i]], 1);
  __syncthreads();
  for (int i = thread; i < 256; i += threads)
    atomic_add(&totals[i], counts[i]);
}
