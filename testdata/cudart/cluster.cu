// Clusters: distributed shared memory, launches with attributes, what is possible.
// flags: -std=c++17 -arch=sm_90
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void histogram(const int *in, int *out, int n, int bins) { // each CTA of a cluster owns a part of the bins
  extern __shared__ int mine[];
  cg::cluster_group cluster = cg::this_cluster();
  int ctas = cluster.num_blocks(), each = bins / ctas;
  for (int i = threadIdx.x; i < each; i += blockDim.x) mine[i] = 0;
  cluster.sync();
  for (int i = cluster.block_rank() * blockDim.x + threadIdx.x; i < n; i += ctas * blockDim.x) {
    int bin = in[i];
    atomicAdd(cluster.map_shared_rank(mine, bin / each) + bin % each, 1);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < each; i += blockDim.x) out[cluster.block_rank() * each + i] = mine[i];
}
__global__ void __cluster_dims__(2, 1, 1) fixed(int *out) { if (threadIdx.x == 0) out[blockIdx.x] = cg::this_cluster().block_rank(); }

int main() {
  const int n = 5000, bins = 64, ctas = 4;
  int *in, *out, want[bins] = {};
  CHECK(cudaMallocManaged(&in, n * sizeof(int)));
  CHECK(cudaMallocManaged(&out, bins * sizeof(int)));
  for (int i = 0; i < n; i++) want[in[i] = i * i % bins]++;
  cudaLaunchConfig_t c = {};
  c.gridDim = dim3(ctas), c.blockDim = dim3(128), c.dynamicSmemBytes = bins / ctas * sizeof(int);
  cudaLaunchAttribute a[1];
  a[0].id = cudaLaunchAttributeClusterDimension;
  a[0].val.clusterDim.x = ctas, a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
  c.attrs = a, c.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&c, histogram, (const int *)in, out, n, bins));
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < bins; i++) EXPECT(out[i] == want[i]);
  int most = 0, active = 0, size = n, count = bins;
  CHECK(cudaOccupancyMaxPotentialClusterSize(&most, histogram, &c));
  EXPECT(most == 8);
  CHECK(cudaOccupancyMaxActiveClusters(&active, histogram, &c));
  EXPECT(active >= 1);
  CHECK(cudaFuncSetAttribute(histogram, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  CHECK(cudaOccupancyMaxPotentialClusterSize(&most, histogram, &c));
  EXPECT(most == 16);
  int multiprocessors = 0; // persistent kernels launch as many CTAs, in whole clusters
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  EXPECT(multiprocessors >= most);
  void *args[] = {&in, &out, &size, &count};
  CHECK(cudaLaunchKernelExC(&c, (const void *)histogram, args));
  c.gridDim = dim3(5);
  EXPECT(cudaLaunchKernelExC(&c, (const void *)histogram, args) == cudaErrorInvalidClusterSize);
  EXPECT(cudaGetLastError() == cudaErrorInvalidClusterSize);
  fixed<<<4, 32>>>(out);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 4; i++) EXPECT(out[i] == i % 2);
  return passed();
}
