// Conjugate gradients in double precision for the 1-D Poisson matrix (2 on the diagonal, -1 beside it).
// The scalars stay on the device: s[0] = r.r, s[1] = p.Ap, s[2] = the next r.r.
__device__ __forceinline__ void blockAdd(double v, double *sum) {
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1)
    v += __shfl_down_sync(0xffffffffu, v, offset);
  if ((threadIdx.x & 31) == 0)
    atomicAdd(sum, v);
}

// q = A*p and s[1] += p.q
extern "C" __global__ void cgApply(const double *p, double *q, double *s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double product = 0;
  if (i < n) {
    double left = i > 0 ? p[i - 1] : 0.0, right = i < n - 1 ? p[i + 1] : 0.0;
    double v = 2.0 * p[i] - (left + right);
    q[i] = v;
    product = p[i] * v;
  }
  blockAdd(product, &s[1]);
}

// x += alpha*p, r -= alpha*q, s[2] += r.r, where alpha = s[0]/s[1]
extern "C" __global__ void cgStep(double *x, double *r, const double *p, const double *q, double *s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double alpha = s[0] / s[1], square = 0;
  if (i < n) {
    x[i] += alpha * p[i];
    double v = -alpha * q[i] + r[i];
    r[i] = v;
    square = v * v;
  }
  blockAdd(square, &s[2]);
}

// p = r + beta*p, where beta = s[2]/s[0]
extern "C" __global__ void cgDirection(double *p, const double *r, const double *s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double beta = s[2] / s[0];
  if (i < n)
    p[i] = beta * p[i] + r[i];
}

// One thread: the next iteration's scalars.
extern "C" __global__ void cgNext(double *s) {
  s[0] = s[2];
  s[1] = 0;
  s[2] = 0;
}
