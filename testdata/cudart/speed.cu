// Time of calls, printed; the test looks at results alone.
#include "check.h"
#include <chrono>
#include <cstring>

__global__ void empty() {}
static double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

int main() {
  empty<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  double t = now();
  for (int i = 0; i < 10000; i++) empty<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  printf("10,000 launches: %.1f ms\n", (now() - t) * 1e3);
  t = now();
  for (int i = 0; i < 10000; i++) { empty<<<1, 1>>>(); cudaDeviceSynchronize(); }
  printf("launch and synchronise: %.2f us\n", (now() - t) * 100);
  const size_t n = 256 << 20;
  char *host = (char *)malloc(n), *other = (char *)malloc(n), *device;
  memset(host, 1, n), memset(other, 2, n);
  CHECK(cudaMalloc(&device, n));
  CHECK(cudaMemcpy(device, host, n, cudaMemcpyHostToDevice));
  t = now();
  CHECK(cudaMemcpy(device, host, n, cudaMemcpyHostToDevice));
  double copy = now() - t;
  t = now();
  memcpy(other, host, n);
  double plain = now() - t;
  printf("copy: %.2f of memcpy\n", plain / copy);
  CHECK(cudaMemcpy(other, device, n, cudaMemcpyDeviceToHost));
  EXPECT(other[0] == 1 && other[n - 1] == 1);
  return passed();
}
