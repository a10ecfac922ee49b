// Elimination of 16 by 16 matrices in local memory, one a work-group.
kernel void once(global double *m) {
  local double s[16][16];
  int x = get_local_id(0), y = get_local_id(1);
  global double *g = m + get_group_id(0) * 256 + y * 16 + x;
  s[y][x] = *g;
  for (int k = 0; k < 15; k++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    double f = s[y][k] / s[k][k];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (y > k && x > k)
      s[y][x] = fma(-f, s[k][x], s[y][x]);
    else if (y > k && x == k)
      s[y][x] = f;
  }
  *g = s[y][x];
}
