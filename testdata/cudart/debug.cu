// A program for a debugger: nothing is optimised, calls and stacks are real.
// flags: -G
#include "check.h"

struct Point { double x, y; };
__device__ __noinline__ Point rotate(Point p, int quarter) { for (int i = 0; i < quarter; i++) p = {-p.y, p.x}; return p; }
__device__ int depth(int n) { int local[8]; for (int i = 0; i < 8; i++) local[i] = n + i; return n == 0 ? local[7] : depth(n - 1) + local[n % 8]; }
__global__ void all(Point *p, int *d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { p[i] = rotate({double(i), 1}, i % 4); d[i] = depth(i % 6); }
}
static int host(int n) { int local[8]; for (int i = 0; i < 8; i++) local[i] = n + i; return n == 0 ? local[7] : host(n - 1) + local[n % 8]; }

int main() {
  const int n = 200;
  Point *p;
  int *d;
  CHECK(cudaMallocManaged(&p, n * sizeof *p));
  CHECK(cudaMallocManaged(&d, n * sizeof *d));
  all<<<2, 100>>>(p, d, n);
  CHECK(cudaDeviceSynchronize());
  const double turn[4][4] = {{1, 0, 0, 1}, {0, -1, 1, 0}, {-1, 0, 0, -1}, {0, 1, -1, 0}};
  for (int i = 0; i < n; i++) {
    const double *t = turn[i % 4];
    EXPECT(p[i].x == t[0] * i + t[1] && p[i].y == t[2] * i + t[3] && d[i] == host(i % 6));
  }
  return passed();
}
