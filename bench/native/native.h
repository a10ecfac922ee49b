// What a workload in C gets: the kernel's buffers in the order of the corpus case, then the
// scalars of its first launch. once() does all that the case's launches do.
#include <stddef.h>
#include <stdint.h>

typedef struct {
  void *p;      // a buffer's bytes
  size_t bytes; // 0 for a scalar
  double v;     // a scalar
} arg;

void once(arg *a);

#define F32(i) ((float *)a[i].p)
#define U32(i) ((uint32_t *)a[i].p)
#define S32(i) ((int32_t *)a[i].p)
#define INT(i) ((int)a[i].v)
#define FLT(i) ((float)a[i].v)
#define FMA(x, y, z) __builtin_fmaf(x, y, z)
