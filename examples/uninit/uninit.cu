// A moving average whose left halo in shared memory is never written; --sanitize init, in uninit.txt, finds the read.
extern "C" __global__ void average(const float *x, float *y) {
  __shared__ float tile[66];
  int i = threadIdx.x;
  tile[i + 1] = x[i];
  if (i == 63)
    tile[65] = x[63];
  __syncthreads();
  y[i] = (tile[i] + tile[i + 1] + tile[i + 2]) / 3;
}
