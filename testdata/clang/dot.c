// A dot product: each warp adds its products with shuffles, lane 0 adds the warp's sum to the result.
__attribute__((nvptx_kernel)) void dot(const float *a, const float *b, float *out, int n) {
  int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
  float sum = i < n ? a[i] * b[i] : 0;
  for (int lanes = 16; lanes > 0; lanes /= 2)
    sum += __nvvm_shfl_sync_down_f32(-1u, sum, lanes, 31);
  if (__nvvm_read_ptx_sreg_laneid() == 0)
    __nvvm_atom_add_gen_f(out, sum);
}
