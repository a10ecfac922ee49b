// Tiles on their way to shared memory while others are summed: asynchronous copies by the
// intrinsics, by cooperative groups and by a pipeline of one thread's stages.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

constexpr int threads = 64, stages = 2;

// Every thread copies and weighs 16 bytes of each tile, with two tiles in flight.
__global__ void primitives(const int4* in, int* out, int tiles)
{
  __shared__ int4 buf[stages][threads];
  const int t = threadIdx.x;
  const int4* mine = in + blockIdx.x * tiles * threads + t;
  int sum = 0;
  for (int k = 0; k < tiles + stages - 1; k++) {
    if (k < tiles)
      __pipeline_memcpy_async(&buf[k % stages][t], mine + k * threads, 16, t % 4 == 3 ? 4 : 0);
    __pipeline_commit();
    if (k < stages - 1)
      continue;
    __pipeline_wait_prior(stages - 1);
    __syncthreads();
    const int4 v = buf[(k - stages + 1) % stages][t ^ 1];
    sum += (k + 1) * (v.x + 3 * v.y + 5 * v.z + 7 * v.w);
    __syncthreads();
  }
  out[blockIdx.x * threads + t] = sum;
}

// The block copies a tile together.
__global__ void group(const int* in, int* out, int tiles)
{
  namespace cg = cooperative_groups;
  __shared__ int buf[stages][threads];
  auto block = cg::this_thread_block();
  const int t = threadIdx.x;
  in += blockIdx.x * tiles * threads;
  int sum = 0;
  cg::memcpy_async(block, buf[0], in, sizeof buf[0]);
  for (int k = 1; k <= tiles; k++) {
    if (k < tiles) {
      cg::memcpy_async(block, buf[k % stages], in + k * threads, sizeof buf[0]);
      cg::wait_prior<1>(block);
    } else
      cg::wait(block);
    sum += k * buf[(k - 1) % stages][threads - 1 - t];
    block.sync();
  }
  out[blockIdx.x * threads + t] = sum;
}

// A pipeline of the thread's own copies.
__global__ void thread_pipeline(const int2* in, int* out, int tiles)
{
  __shared__ int2 buf[stages][threads];
  auto pipe = cuda::make_pipeline();
  const int t = threadIdx.x;
  in += blockIdx.x * tiles * threads;
  int sum = 0;
  for (int next = 0, k = 0; k < tiles; k++) {
    for (; next < tiles && next < k + stages; next++) {
      pipe.producer_acquire();
      cuda::memcpy_async(&buf[next % stages][t], in + next * threads + t, cuda::aligned_size_t<8>(8), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += (k + 1) * (buf[k % stages][t].x - buf[k % stages][t].y);
    pipe.consumer_release();
  }
  out[blockIdx.x * threads + t] = sum;
}
