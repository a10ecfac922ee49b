// Least, largest and sum of integers, by local memory, since shuffles are an extension, and atomics.
kernel void once(global const int *restrict x, global int *out, int n) {
  local int lows[256], highs[256], sums[256];
  int lo = 0x7fffffff, hi = -0x7fffffff, sum = 0, t = get_local_id(0);
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
    lo = min(lo, x[i]);
    hi = max(hi, x[i]);
    sum += x[i];
  }
  lows[t] = lo;
  highs[t] = hi;
  sums[t] = sum;
  for (int o = 128; o > 0; o /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < o) {
      lows[t] = min(lows[t], lows[t + o]);
      highs[t] = max(highs[t], highs[t + o]);
      sums[t] += sums[t + o];
    }
  }
  if (t == 0) {
    atomic_min(&out[0], lows[0]);
    atomic_max(&out[1], highs[0]);
    atomic_add(&out[2], sums[0]);
  }
}
