// Each warp keeps its positive values, packed to the front of its 32 places, and their count.
extern "C" __global__ void compact(const int *in, int *out, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  int v = i < n ? in[i] : 0;
  unsigned keep = __ballot_sync(~0u, v > 0);
  if (v > 0)
    out[i - lane + __popc(keep & ((1u << lane) - 1))] = v;
  if (lane == 0)
    count[i / 32] = __popc(keep);
}
