// The device library: exponential, sine and power of every element.
extern "C" __global__ void elementary(const float *x, float *exponential, float *sine, float *power, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  exponential[i] = expf(x[i]);
  sine[i] = sinf(x[i]);
  power[i] = powf(x[i] < 0 ? -x[i] : x[i], 1.7f);
}
