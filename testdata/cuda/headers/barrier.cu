// Tiles copied for a whole block: by a barrier that the copies arrive at, and by a pipeline whose
// stages the block shares.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

constexpr int tile = 128; // a multiple of the block

// Sum of in[k][7 t mod tile] over the tiles k.
extern "C" __global__ void withBarrier(const int* in, int* out, int tiles)
{
  __shared__ alignas(16) int buf[2][tile];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> full;
  auto block = cooperative_groups::this_thread_block();
  if (threadIdx.x == 0)
    init(&full, blockDim.x);
  block.sync();
  int sum = 0;
  for (int k = 0; k < tiles; k++) {
    cuda::memcpy_async(block, buf[k & 1], in + k * tile, cuda::aligned_size_t<16>(sizeof buf[0]), full);
    full.arrive_and_wait();
    sum += buf[k & 1][threadIdx.x * 7 % tile];
    block.sync();
  }
  out[threadIdx.x] = sum;
}

// Sum of in[k][5 t mod tile] over the tiles k.
extern "C" __global__ void withPipeline(const int* in, int* out, int tiles)
{
  __shared__ alignas(16) int buf[2][tile];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> stages;
  auto block = cooperative_groups::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &stages);
  auto fetch = [&](int k) {
    pipe.producer_acquire();
    cuda::memcpy_async(block, buf[k & 1], in + k * tile, cuda::aligned_size_t<16>(sizeof buf[0]), pipe);
    pipe.producer_commit();
  };
  int sum = 0;
  fetch(0);
  for (int k = 0; k < tiles; k++) {
    if (k + 1 < tiles)
      fetch(k + 1);
    pipe.consumer_wait();
    block.sync();
    sum += buf[k & 1][threadIdx.x * 5 % tile];
    block.sync();
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}
