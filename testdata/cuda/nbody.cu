// All-pairs gravity, one step: tiles of bodies in shared memory, exact square root and division.
#define TILE 64

__device__ __forceinline__ float squareRoot(float x) {
  float r;
  asm("sqrt.rn.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}

extern "C" __global__ void nbody(const float4 *pos, float4 *next, float4 *vel, int n, float dt, float soft) {
  __shared__ float4 tile[TILE];
  int i = blockIdx.x * TILE + threadIdx.x;
  float4 p = i < n ? pos[i] : make_float4(0, 0, 0, 0);
  float ax = 0, ay = 0, az = 0;
  for (int base = 0; base < n; base += TILE) {
    int j = base + threadIdx.x;
    tile[threadIdx.x] = j < n ? pos[j] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < TILE; k++) {
      float4 q = tile[k];
      float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
      float d2 = soft;
      d2 += dx * dx;
      d2 += dy * dy;
      d2 += dz * dz;
      float inv = 1.0f / squareRoot(d2);
      float s = q.w * (inv * inv * inv);
      ax += dx * s;
      ay += dy * s;
      az += dz * s;
    }
    __syncthreads();
  }
  if (i >= n)
    return;
  float4 v = vel[i];
  v.x += ax * dt;
  v.y += ay * dt;
  v.z += az * dt;
  vel[i] = v;
  next[i] = make_float4(v.x * dt + p.x, v.y * dt + p.y, v.z * dt + p.z, p.w);
}
