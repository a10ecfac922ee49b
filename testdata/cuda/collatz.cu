// Steps of 3n+1 to reach 1: a loop whose length differs in every lane.
extern "C" __global__ void collatz(unsigned *steps, unsigned first, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned long long v = first + i;
  unsigned count = 0;
  while (v != 1) {
    if (v & 1)
      v = 3 * v + 1;
    else
      v >>= 1;
    count++;
  }
  steps[i] = count;
}
