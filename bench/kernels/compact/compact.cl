// Each 32 work-items keep their positive values, packed to the front of their 32 places, and their count: a scan in local memory,
// since votes are an extension.
kernel void once(global const int *restrict in, global int *restrict out, global int *restrict count, int n) {
  local int places[256];
  int i = get_global_id(0), t = get_local_id(0), lane = t % 32;
  int v = i < n ? in[i] : 0, keep = v > 0, place = keep;
  for (int o = 1; o < 32; o *= 2) {
    places[t] = place;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane >= o)
      place += places[t - o];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (keep)
    out[i - lane + place - 1] = v;
  if (lane == 31)
    count[i / 32] = place;
}
