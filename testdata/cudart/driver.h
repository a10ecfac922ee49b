// What the programs about the driver API share, beside check.h.
#pragma once
#include <cuda.h>
#include "check.h"

#define WANT(code, call) do { CUresult r_ = (call); if (r_ != (code)) { \
  printf("%s:%d: %s: %d, not %d\n", __FILE__, __LINE__, #call, int(r_), int(code)); exit(1); } } while (0)
#define DO(call) WANT(CUDA_SUCCESS, call)

// begin makes the primary context of the first device current.
static inline CUcontext begin() {
  CUcontext c;
  DO(cuInit(0));
  DO(cuDevicePrimaryCtxRetain(&c, 0));
  DO(cuCtxSetCurrent(c));
  return c;
}

static inline int ended() {
  DO(cuCtxSynchronize());
  printf("PASSED\n");
  return 0;
}
