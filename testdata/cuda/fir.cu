// Fixed-point FIR filter: Q15 samples and taps, 32-bit sums, rounded and saturated to 16 bits.
#define TAPS 24

__constant__ short taps[TAPS] = {-63,  -118, 0,    341,  702,   610,   -368, -2042, -3124, -1670, 3268, 11004,
                                 18650, 11004, 3268, -1670, -3124, -2042, -368, 610, 702,  341,  0,    -118};

extern "C" __global__ void fir(const short *in, short *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int sum = 1 << 14;
#pragma unroll
  for (int k = 0; k < TAPS; k++)
    if (i - k >= 0)
      sum += (int)taps[k] * (int)in[i - k];
  sum >>= 15;
  short r = sum > 32767 ? 32767 : sum < -32768 ? -32768 : (short)sum;
  out[i] = r;
}
