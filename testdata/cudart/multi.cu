// Two devices, a thread of the host for each: every one sums its half in chunks on two streams, copies overlap with kernels, the
// sums meet over peer access, and a callback counts the chunks.
// env: PTXVM_DEVICES=2
#include "check.h"
#include <atomic>
#include <thread>

const int CHUNK = 4096, CHUNKS = 8, DEVICES = 2;

__global__ void sum(const int *in, long long *out, int n) {
  long long v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) atomicAdd((unsigned long long *)out, (unsigned long long)v);
}

__global__ void gather(long long *mine, const long long *theirs) { *mine += *theirs; }

static std::atomic<int> done;
static void CUDART_CB count(cudaStream_t, cudaError_t status, void *by) {
  if (status == cudaSuccess) done += *(int *)by;
}

static long long *total[DEVICES];

static void half(int device, const int *pinned) {
  static int one = 1;
  CHECK(cudaSetDevice(device));
  CHECK(cudaMalloc(&total[device], sizeof(long long)));
  CHECK(cudaMemset(total[device], 0, sizeof(long long)));
  CHECK(cudaDeviceSynchronize());
  cudaStream_t streams[2];
  int *buffers[2];
  for (int i = 0; i < 2; i++) {
    CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    CHECK(cudaMalloc(&buffers[i], CHUNK * sizeof(int)));
  }
  for (int i = 0; i < CHUNKS; i++) {
    cudaStream_t s = streams[i % 2];
    CHECK(cudaMemcpyAsync(buffers[i % 2], pinned + (device * CHUNKS + i) * CHUNK, CHUNK * sizeof(int), cudaMemcpyHostToDevice, s));
    sum<<<4, 128, 0, s>>>(buffers[i % 2], total[device], CHUNK);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamAddCallback(s, count, &one, 0));
  }
  for (int i = 0; i < 2; i++) {
    CHECK(cudaStreamSynchronize(streams[i]));
    CHECK(cudaStreamDestroy(streams[i]));
    CHECK(cudaFree(buffers[i]));
  }
}

int main() {
  int *pinned, devices;
  CHECK(cudaGetDeviceCount(&devices));
  EXPECT(devices == DEVICES);
  const int n = DEVICES * CHUNKS * CHUNK;
  CHECK(cudaHostAlloc(&pinned, n * sizeof(int), cudaHostAllocPortable));
  long long want = 0, got;
  for (int i = 0; i < n; i++) want += pinned[i] = (i * 2654435761u) % 1000 - 300;
  std::vector<std::thread> threads;
  for (int d = 0; d < DEVICES; d++) threads.emplace_back(half, d, pinned);
  for (auto &t : threads) t.join();
  EXPECT(done == DEVICES * CHUNKS);
  CHECK(cudaSetDevice(0));
  CHECK(cudaDeviceEnablePeerAccess(1, 0));
  cudaPointerAttributes where;
  CHECK(cudaPointerGetAttributes(&where, total[1]));
  EXPECT(where.device == 1 && where.type == cudaMemoryTypeDevice);
  gather<<<1, 1>>>(total[0], total[1]);
  CHECK(cudaMemcpy(&got, total[0], sizeof got, cudaMemcpyDeviceToHost));
  EXPECT(got == want);
  for (int d = 0; d < DEVICES; d++) CHECK(cudaFree(total[d]));
  CHECK(cudaFreeHost(pinned));
  return passed();
}
