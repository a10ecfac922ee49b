// Conjugate gradients of a tridiagonal system: an iteration is captured once, with dot products by cooperative groups and a
// forked branch, and launched as a graph until the residual is small.
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cmath>

namespace cg = cooperative_groups;

__global__ void multiply(const int *row, const int *column, const double *value, const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0;
  for (int j = row[i]; j < row[i + 1]; j++) sum += value[j] * x[column[j]];
  y[i] = sum;
}

__global__ void dot(const double *a, const double *b, double *to, int n) {
  __shared__ double part[8];
  cg::thread_block block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  double sum = 0;
  for (int i = block.thread_rank(); i < n; i += block.size()) sum += a[i] * b[i];
  sum = cg::reduce(warp, sum, cg::plus<double>());
  if (warp.thread_rank() == 0) part[warp.meta_group_rank()] = sum;
  block.sync();
  if (block.thread_rank() == 0) {
    sum = 0;
    for (unsigned i = 0; i < warp.meta_group_size(); i++) sum += part[i];
    *to = sum;
  }
}

// s: r·r before, p·Ap, r·r after
__global__ void step(double *x, const double *p, const double *s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += s[0] / s[1] * p[i];
}
__global__ void residual(double *r, const double *ap, const double *s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) r[i] -= s[0] / s[1] * ap[i];
}
__global__ void direction(double *p, const double *r, const double *s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = r[i] + s[2] / s[0] * p[i];
}

template <class T> static T *upload(const std::vector<T> &v) {
  T *d;
  CHECK(cudaMalloc(&d, v.size() * sizeof(T)));
  CHECK(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return d;
}

int main() {
  const int n = 1000, block = 256, grid = (n + block - 1) / block;
  std::vector<int> row(n + 1), column;
  std::vector<double> value, b(n), x(n, 0.0);
  for (int i = 0; i < n; i++) {
    for (int j = i - 1; j <= i + 1; j++)
      if (j >= 0 && j < n) column.push_back(j), value.push_back(j == i ? 3 + i % 5 : -1);
    row[i + 1] = (int)column.size();
    b[i] = std::sin(0.1 * i);
  }
  int *dr = upload(row), *dc = upload(column);
  double *dv = upload(value), *dx = upload(x), *r = upload(b), *p = upload(b), *ap = upload(x), *s = upload(std::vector<double>(3));
  dot<<<1, block>>>(r, r, s, n);

  cudaStream_t main, side;
  cudaEvent_t fork, join;
  CHECK(cudaStreamCreateWithFlags(&main, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
  multiply<<<grid, block, 0, main>>>(dr, dc, dv, p, ap, n);
  dot<<<1, block, 0, main>>>(p, ap, s + 1, n);
  CHECK(cudaEventRecord(fork, main));
  CHECK(cudaStreamWaitEvent(side, fork, 0));
  step<<<grid, block, 0, side>>>(dx, p, s, n);
  CHECK(cudaEventRecord(join, side));
  residual<<<grid, block, 0, main>>>(r, ap, s, n);
  dot<<<1, block, 0, main>>>(r, r, s + 2, n);
  CHECK(cudaStreamWaitEvent(main, join, 0));
  direction<<<grid, block, 0, main>>>(p, r, s, n);
  CHECK(cudaMemcpyAsync(s, s + 2, sizeof(double), cudaMemcpyDeviceToDevice, main));
  cudaGraph_t g;
  cudaGraphExec_t iteration;
  CHECK(cudaStreamEndCapture(main, &g));
  size_t nodes;
  CHECK(cudaGraphGetNodes(g, nullptr, &nodes));
  EXPECT(nodes == 7);
  CHECK(cudaGraphInstantiate(&iteration, g, 0));
  CHECK(cudaDeviceSynchronize());

  double left = 1;
  int turns = 0;
  for (; turns < 200 && left > 1e-20; turns++) {
    CHECK(cudaGraphLaunch(iteration, main));
    CHECK(cudaMemcpyAsync(&left, s, sizeof left, cudaMemcpyDeviceToHost, main));
    CHECK(cudaStreamSynchronize(main));
  }
  EXPECT(left <= 1e-20 && turns > 3);
  CHECK(cudaMemcpy(x.data(), dx, n * sizeof(double), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = row[i]; j < row[i + 1]; j++) sum += value[j] * x[column[j]];
    EXPECT(std::fabs(sum - b[i]) < 1e-9);
  }
  CHECK(cudaGraphExecDestroy(iteration));
  CHECK(cudaGraphDestroy(g));
  for (void *d : {(void *)dr, (void *)dc, (void *)dv, (void *)dx, (void *)r, (void *)p, (void *)ap, (void *)s}) CHECK(cudaFree(d));
  CHECK(cudaStreamDestroy(main));
  CHECK(cudaStreamDestroy(side));
  return passed();
}
