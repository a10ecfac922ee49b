// What the programs of this folder share: they check themselves, and print PASSED.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { \
  printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e_)); exit(1); } } while (0)
#define EXPECT(what) do { if (!(what)) { printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #what); exit(1); } } while (0)

static inline int passed() {
  cudaError_t e = cudaDeviceSynchronize();
  if (e != cudaSuccess) { printf("at the end: %s\n", cudaGetErrorString(e)); return 1; }
  printf("PASSED\n");
  return 0;
}
