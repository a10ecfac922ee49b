// Tiles of a matrix by the wrappers of the CUDA library: cuda::barrier counts the bytes of a tensor copy, the tile is
// transposed in shared memory under a swizzle of 128 bytes and goes back by another copy. The maps come from the driver by name.
// flags: -arch=sm_90 -std=c++17
#include "check.h"
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <utility>

namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int TILE = 32, ROWS = 100, COLUMNS = 68; // words; neither is a multiple of the tile

// Word (row, column) of a tile of 32 words a row, whose units of 16 bytes are exchanged by the row.
__device__ int &word(int *tile, int row, int column) { return tile[row * TILE + (((column / 4) ^ (row % 8)) * 4 + column % 4)]; }

__global__ void transpose(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
  __shared__ alignas(1024) int in[TILE * TILE], out[TILE * TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier full;
  if (threadIdx.x == 0) {
    init(&full, blockDim.x);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  int at[2] = {int(blockIdx.x * TILE), int(blockIdx.y * TILE)};
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, in, &from, at, cuda::device::barrier_native_handle(full));
    token = cuda::device::barrier_arrive_tx(full, 1, sizeof in);
  } else {
    token = full.arrive();
  }
  full.wait(std::move(token));
  for (int i = threadIdx.x; i < TILE * TILE; i += blockDim.x) word(out, i % TILE, i / TILE) = word(in, i / TILE, i % TILE);
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    int back[2] = {at[1], at[0]};
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to, back, out);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
}

static CUtensorMap describe(int *matrix, int rows, int columns) {
  static decltype(&cuTensorMapEncodeTiled) encode;
  cudaDriverEntryPointQueryResult found;
  if (!encode) CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found));
  CUtensorMap map;
  const cuuint64_t dims[2] = {cuuint64_t(columns), cuuint64_t(rows)}, strides[1] = {columns * sizeof(int)};
  const cuuint32_t box[2] = {TILE, TILE}, steps[2] = {1, 1};
  EXPECT(encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, matrix, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
  return map;
}

int main() {
  std::vector<int> host(ROWS * COLUMNS), back(ROWS * COLUMNS);
  for (int i = 0; i < ROWS * COLUMNS; i++) host[i] = i * 37 + 5;
  int *from, *to;
  CHECK(cudaMalloc(&from, host.size() * sizeof(int)));
  CHECK(cudaMalloc(&to, host.size() * sizeof(int)));
  CHECK(cudaMemcpy(from, host.data(), host.size() * sizeof(int), cudaMemcpyHostToDevice));
  transpose<<<dim3((COLUMNS + TILE - 1) / TILE, (ROWS + TILE - 1) / TILE), 128>>>(describe(from, ROWS, COLUMNS), describe(to, COLUMNS, ROWS));
  CHECK(cudaMemcpy(back.data(), to, back.size() * sizeof(int), cudaMemcpyDeviceToHost));
  for (int r = 0; r < ROWS; r++) for (int c = 0; c < COLUMNS; c++) EXPECT(back[c * ROWS + r] == host[r * COLUMNS + c]);
  return passed();
}
