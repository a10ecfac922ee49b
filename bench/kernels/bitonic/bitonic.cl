// Sorts each work-group's 512 keys by a bitonic network in local memory.
kernel void once(global uint *keys) {
  local uint s[512];
  global uint *k = keys + get_group_id(0) * 512;
  uint t = get_local_id(0);
  s[t] = k[t];
  s[t + 256] = k[t + 256];
  for (uint size = 2; size <= 512; size *= 2)
    for (uint step = size / 2; step > 0; step /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      uint i = 2 * t - (t & (step - 1)), j = i + step, a = s[i], b = s[j];
      if ((a > b) == ((i & size) == 0)) {
        s[i] = b;
        s[j] = a;
      }
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  k[t] = s[t];
  k[t + 256] = s[t + 256];
}
