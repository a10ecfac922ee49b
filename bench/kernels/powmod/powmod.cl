// Powers modulo a number of 32 bits, products of 64.
kernel void once(global const uint *restrict base, global uint *restrict out, uint e, uint m, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  ulong x = base[i] % m, p = 1;
  for (uint k = e; k; k >>= 1) {
    if (k & 1)
      p = p * x % m;
    x = x * x % m;
  }
  out[i] = p;
}
