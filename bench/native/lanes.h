// Threads side by side, in each way that a compiler may like: LANES at a time in a vector type, or one by
// one in a loop that it is asked to vectorise (LANES 0). bench compiles every workload for several LANES.
#include "native.h"

#if LANES
typedef float fvec __attribute__((vector_size(4 * LANES)));
typedef uint32_t uvec __attribute__((vector_size(4 * LANES)));
#define STEP LANES
#define EACH_THREAD
static inline uvec lane_numbers(void) {
  uvec v;
  for (int l = 0; l < LANES; l++)
    v[l] = l;
  return v;
}
#ifdef __clang__
static inline fvec fused(fvec a, fvec b, fvec c) {
#pragma clang fp contract(on) // one fma: there is no other way to write one of vectors
  return a * b + c;
}
#else
static inline fvec fused(fvec a, fvec b, fvec c) {
  fvec d;
#pragma omp simd
  for (int l = 0; l < LANES; l++)
    d[l] = FMA(a[l], b[l], c[l]);
  return d;
}
#endif
#define TO_FLOAT(u) __builtin_convertvector(u, fvec)
#else
typedef float fvec;
typedef uint32_t uvec;
#define STEP 1
#define EACH_THREAD _Pragma("omp simd")
#define lane_numbers() 0u
#define fused(a, b, c) FMA(a, b, c)
#define TO_FLOAT(u) ((float)(u))
#endif

typedef fvec fvec_u __attribute__((aligned(4))); // as it lies in memory
typedef uvec uvec_u __attribute__((aligned(4)));
