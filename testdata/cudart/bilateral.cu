// A bilateral filter of an image in a texture, and its halving by linear samples: pixels beyond the border are those at it.
// flags: -arch=sm_75
#include "check.h"
#include <algorithm>
#include <cmath>

constexpr int W = 61, H = 37, RADIUS = 3;
constexpr float SPACE = 2.5f, RANGE = 0.2f;

__global__ void bilateral(cudaTextureObject_t image, float4 *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= W || y >= H) return;
  float4 here = tex2D<float4>(image, x + 0.5f, y + 0.5f), sum = {};
  float weights = 0;
  for (int dy = -RADIUS; dy <= RADIUS; dy++) for (int dx = -RADIUS; dx <= RADIUS; dx++) {
    float4 there = tex2D<float4>(image, x + dx + 0.5f, y + dy + 0.5f);
    float r = there.x - here.x, g = there.y - here.y, b = there.z - here.z;
    float weight = expf(-(dx * dx + dy * dy) / (2 * SPACE * SPACE)) * expf(-(r * r + g * g + b * b) / (2 * RANGE * RANGE));
    sum.x += weight * there.x, sum.y += weight * there.y, sum.z += weight * there.z, weights += weight;
  }
  out[y * W + x] = {sum.x / weights, sum.y / weights, sum.z / weights, here.w};
}

// A sample in the middle of four pixels is their mean: each weight is a quarter, of which 8 bits are exact.
__global__ void halve(cudaTextureObject_t image, float4 *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < W / 2 && y < H / 2) out[y * (W / 2) + x] = tex2D<float4>(image, 2 * x + 1, 2 * y + 1);
}

static cudaTextureObject_t texture(cudaArray_t array, cudaTextureFilterMode filter) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc desc = {};
  desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
  desc.filterMode = filter;
  desc.readMode = cudaReadModeNormalizedFloat;
  cudaTextureObject_t object;
  CHECK(cudaCreateTextureObject(&object, &resource, &desc, nullptr));
  return object;
}

static bool near(double have, double want, double error) { return std::fabs(have - want) <= error; }

int main() {
  std::vector<uchar4> pixels(W * H);
  for (int i = 0; i < W * H; i++) {
    int x = i % W, y = i / W, edge = x > 20 && y > 11 ? 140 : 20;
    pixels[i] = {(unsigned char)(edge + (x * 7 + y * 3) % 11), (unsigned char)(edge + x * y % 17), (unsigned char)(255 - edge - (x + y) % 5), (unsigned char)i};
  }
  cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, W, H));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, pixels.data(), W * sizeof(uchar4), W * sizeof(uchar4), H, cudaMemcpyHostToDevice));
  float4 *out, *half;
  CHECK(cudaMallocManaged(&out, W * H * sizeof *out));
  CHECK(cudaMallocManaged(&half, (W / 2) * (H / 2) * sizeof *half));
  cudaTextureObject_t points = texture(array, cudaFilterModePoint), linear = texture(array, cudaFilterModeLinear);
  dim3 block(16, 8), grid((W + 15) / 16, (H + 7) / 8);
  bilateral<<<grid, block>>>(points, out);
  halve<<<grid, block>>>(linear, half);
  CHECK(cudaDeviceSynchronize());

  auto at = [&](int x, int y, int channel) {
    const uchar4 &p = pixels[std::min(std::max(y, 0), H - 1) * W + std::min(std::max(x, 0), W - 1)];
    return (channel == 0 ? p.x : channel == 1 ? p.y : channel == 2 ? p.z : p.w) / 255.0;
  };
  for (int y = 0; y < H; y++) for (int x = 0; x < W; x++) {
    double sum[3] = {}, weights = 0;
    for (int dy = -RADIUS; dy <= RADIUS; dy++) for (int dx = -RADIUS; dx <= RADIUS; dx++) {
      double apart = 0;
      for (int c = 0; c < 3; c++) apart += std::pow(at(x + dx, y + dy, c) - at(x, y, c), 2);
      double weight = std::exp(-(dx * dx + dy * dy) / (2.0 * SPACE * SPACE)) * std::exp(-apart / (2.0 * RANGE * RANGE));
      for (int c = 0; c < 3; c++) sum[c] += weight * at(x + dx, y + dy, c);
      weights += weight;
    }
    const float4 &have = out[y * W + x]; // 49 terms of f32, and two exponentials of 2 ulp each
    EXPECT(near(have.x, sum[0] / weights, 1e-5) && near(have.y, sum[1] / weights, 1e-5) && near(have.z, sum[2] / weights, 1e-5));
    EXPECT(have.w == (float)at(x, y, 3));
  }
  for (int y = 0; y < H / 2; y++) for (int x = 0; x < W / 2; x++) for (int c = 0; c < 4; c++) {
    double mean = (at(2 * x, 2 * y, c) + at(2 * x + 1, 2 * y, c) + at(2 * x, 2 * y + 1, c) + at(2 * x + 1, 2 * y + 1, c)) / 4;
    const float4 &have = half[y * (W / 2) + x];
    EXPECT(near(c == 0 ? have.x : c == 1 ? have.y : c == 2 ? have.z : have.w, mean, 1e-6));
  }
  CHECK(cudaDestroyTextureObject(points));
  CHECK(cudaDestroyTextureObject(linear));
  CHECK(cudaFreeArray(array));
  return passed();
}
