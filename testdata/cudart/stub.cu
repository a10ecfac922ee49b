// What is not there yet says so by name, once, and answers 801.
// stdout: PASSED
// stderr: cudaIpcGetMemHandle is not supported
#include "check.h"

int main() {
  cudaIpcMemHandle_t h;
  EXPECT(cudaIpcGetMemHandle(&h, nullptr) == cudaErrorNotSupported);
  EXPECT(cudaGetLastError() == cudaErrorNotSupported);
  EXPECT(cudaIpcGetMemHandle(&h, nullptr) == cudaErrorNotSupported);
  EXPECT(cudaGetLastError() == cudaErrorNotSupported && cudaGetLastError() == cudaSuccess);
  return passed();
}
