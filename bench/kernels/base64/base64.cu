// Three bytes become four letters.
__constant__ char letters[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

extern "C" __global__ void base64(const unsigned char *in, uchar4 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
  uchar4 o;
  o.x = letters[v >> 18];
  o.y = letters[v >> 12 & 63];
  o.z = letters[v >> 6 & 63];
  o.w = letters[v & 63];
  out[i] = o;
}
