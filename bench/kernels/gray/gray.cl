// Grey values of interleaved RGB bytes.
kernel void once(global const uchar *restrict rgb, global uchar *restrict out, int n) {
  int i = get_global_id(0);
  if (i < n)
    out[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2] + 128) >> 8;
}
