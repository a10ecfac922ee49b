// What is not there yet says so by name, once, and answers 801.
// stdout: PASSED
// stderr: cudaGraphCreate is not supported
#include "check.h"

int main() {
  cudaGraph_t g;
  EXPECT(cudaGraphCreate(&g, 0) == cudaErrorNotSupported);
  EXPECT(cudaGetLastError() == cudaErrorNotSupported);
  EXPECT(cudaGraphCreate(&g, 0) == cudaErrorNotSupported);
  EXPECT(cudaGetLastError() == cudaErrorNotSupported && cudaGetLastError() == cudaSuccess);
  return passed();
}
