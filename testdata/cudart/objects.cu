// C++ on the device: virtual functions, function pointers, new and delete, lambdas, recursion, a heap that fills.
// flags: -std=c++17 --extended-lambda
#include "check.h"

struct Shape { __device__ virtual double area() const = 0; __device__ virtual ~Shape() {} };
struct Square : Shape { double a; __device__ Square(double a) : a(a) {} __device__ double area() const override { return a * a; } };
struct Disc : Shape { double r; __device__ Disc(double r) : r(r) {} __device__ double area() const override { return 3 * r * r; } };
__global__ void make(Shape **s, int n) { int i = threadIdx.x; if (i < n) s[i] = i % 2 ? (Shape *)new Disc(i) : (Shape *)new Square(i); }
__global__ void measure(Shape **s, double *out, int n) { int i = threadIdx.x; if (i < n) { out[i] = s[i]->area(); delete s[i]; } }
typedef int (*op)(int, int);
__device__ int plus(int a, int b) { return a + b; }
__device__ int times(int a, int b) { return a * b; }
__device__ op ops[] = {plus, times};
__global__ void apply(int *out) { out[threadIdx.x] = ops[threadIdx.x % 2](threadIdx.x, 3); }
template <class F> __global__ void each(int *p, int n, F f) { int i = threadIdx.x; if (i < n) p[i] = f(i); }
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__global__ void fibs(int *p) { p[threadIdx.x] = fib(threadIdx.x); }

int main() {
  const int n = 32;
  size_t heap, stack;
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
  CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  CHECK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
  EXPECT(heap == 16 << 20 && stack >= 4096);
  Shape **s;
  double *area;
  int *p;
  CHECK(cudaMalloc(&s, n * sizeof *s));
  CHECK(cudaMallocManaged(&area, n * sizeof *area));
  CHECK(cudaMallocManaged(&p, n * sizeof *p));
  make<<<1, n>>>(s, n);
  measure<<<1, n>>>(s, area, n);
  apply<<<1, n>>>(p);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) EXPECT(area[i] == (i % 2 ? 3.0 : 1.0) * i * i && p[i] == (i % 2 ? i * 3 : i + 3));
  int k = 5;
  each<<<1, n>>>(p, n, [k] __device__(int i) { return i * k; });
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) EXPECT(p[i] == i * 5);
  fibs<<<1, 15>>>(p);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0, a = 0, b = 1; i < 15; i++) { EXPECT(p[i] == a); int c = a + b; a = b, b = c; }
  return passed();
}
