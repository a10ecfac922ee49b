// A dot product: a partial sum for each work-group, by local memory.
kernel void once(global const float *restrict x, global const float *restrict y, global float *restrict part, int n) {
  local float s[256];
  int t = get_local_id(0);
  float sum = 0;
  for (int i = get_group_id(0) * 256 + t; i < n; i += get_num_groups(0) * 256)
    sum = fma(x[i], y[i], sum);
  s[t] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int o = 128; o > 0; o /= 2) {
    if (t < o)
      s[t] += s[t + o];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0)
    part[get_group_id(0)] = s[0];
}
