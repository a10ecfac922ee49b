// A matrix times a vector, 32 work-items for each row; what these add is in local memory, since shuffles are an extension.
kernel void once(global const float *restrict m, global const float *restrict x, global float *restrict y, int rows, int cols) {
  local float s[128];
  int row = get_global_id(0) / 32, t = get_local_id(0), lane = t % 32;
  float sum = 0;
  if (row < rows)
    for (int k = lane; k < cols; k += 32)
      sum = fma(m[row * cols + k], x[k], sum);
  s[t] = sum;
  for (int o = 16; o > 0; o /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < o)
      s[t] += s[t + o];
  }
  if (row < rows && lane == 0)
    y[row] = s[t];
}
