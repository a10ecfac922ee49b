// Simpson's rule in double precision for integrals of a rational function, one a thread.
extern "C" __global__ void simpson(const double *upper, double *area, int steps, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n)
    return;
  double h = upper[t] / steps, sum = 0;
  for (int k = 0; k <= steps; k++) {
    double x = k * h, f = fma(x, 3.0, 1.0) / fma(x, x, 1.0);
    sum = fma(k == 0 || k == steps ? 1.0 : k & 1 ? 4.0 : 2.0, f, sum);
  }
  area[t] = sum * h / 3.0;
}
