// A product of matrices: tiles of 64 by 64 in local memory, 4 by 4 results in each work-item's registers.
kernel void once(global const float *restrict a, global const float *restrict b, global float *restrict c, int n) {
  local float at[16][64], bt[16][64];
  int t = get_local_id(0), tx = t % 16, ty = t / 16, row = get_group_id(1) * 64, col = get_group_id(0) * 64;
  float acc[4][4] = {{0}};
  for (int k0 = 0; k0 < n; k0 += 16) {
    for (int i = t; i < 1024; i += 256) {
      at[i % 16][i / 16] = a[(row + i / 16) * n + k0 + i % 16];
      bt[i / 64][i % 64] = b[(k0 + i / 64) * n + col + i % 64];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; k++)
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
          acc[i][j] = fma(at[k][ty * 4 + i], bt[k][tx * 4 + j], acc[i][j]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      c[(row + ty * 4 + i) * n + col + tx * 4 + j] = acc[i][j];
}
