// A generation of Conway's game of life on a torus of bytes.
kernel void once(global const uchar *restrict in, global uchar *restrict out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h)
    return;
  int l = x ? x - 1 : w - 1, r = x + 1 < w ? x + 1 : 0;
  int u = (y ? y - 1 : h - 1) * w, d = (y + 1 < h ? y + 1 : 0) * w, m = y * w;
  int n = in[u + l] + in[u + x] + in[u + r] + in[m + l] + in[m + r] + in[d + l] + in[d + x] + in[d + r];
  out[m + x] = n == 3 || (n == 2 && in[m + x]);
}
