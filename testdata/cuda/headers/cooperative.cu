// Grid-wide sync by cooperative_groups: a ring of words, as gridsync.cu does it by its own atomics.
// The launch must pass the workspace that cudaLaunchCooperativeKernel passes (%envreg1 and %envreg2).
#include <cooperative_groups.h>

extern "C" __global__ void ring(unsigned *data, int rounds) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  for (int r = 0; r < rounds; r++) {
    volatile unsigned *from = data + (r & 1) * gridDim.x, *to = data + (~r & 1) * gridDim.x;
    if (threadIdx.x == 0)
      to[blockIdx.x] = from[(blockIdx.x + 1) % gridDim.x] * 3 + blockIdx.x;
    grid.sync();
  }
}
