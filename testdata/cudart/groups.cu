// Cooperative groups: tiles, coalesced groups, reductions, and a grid that synchronises.
// flags: -std=c++17
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void tiles(const int *in, int *out) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int sum = cg::reduce(tile, in[blockIdx.x * blockDim.x + threadIdx.x], cg::plus<int>());
  if (tile.thread_rank() == 0) out[(blockIdx.x * blockDim.x + threadIdx.x) / 16] = sum;
}

__global__ void twoPhases(int *data, int *sums, int n) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  if (i < n) data[i] = i + 1;
  grid.sync();
  if (i < n) sums[i] = data[i] + data[(i + n / 2) % n];
  grid.sync();
  if (i == 0) for (int k = 1; k < n; k++) sums[0] += sums[k];
}

int main() {
  const int n = 512;
  int *in, *out;
  CHECK(cudaMallocManaged(&in, n * sizeof(int)));
  CHECK(cudaMallocManaged(&out, n * sizeof(int)));
  for (int i = 0; i < n; i++) in[i] = i;
  tiles<<<4, 128>>>(in, out);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n / 16; i++) EXPECT(out[i] == 16 * (16 * i) + 120);
  int perSM = 0, sms = 0, count = n;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSM, twoPhases, 64, 0));
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  EXPECT(perSM * sms >= n / 64);
  void *args[] = {&in, &out, &count};
  CHECK(cudaLaunchCooperativeKernel((void *)twoPhases, dim3(n / 64), dim3(64), args, 0, 0));
  CHECK(cudaDeviceSynchronize());
  EXPECT(out[0] == n * (n + 1));
  EXPECT(cudaLaunchCooperativeKernel((void *)twoPhases, dim3(1 << 16), dim3(64), args, 0, 0) == cudaErrorCooperativeLaunchTooLarge);
  return passed();
}
