// Particles in a box: a step of motion, reflected at the walls.
extern "C" __global__ void verlet(float4 *pos, float4 *vel, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 p = pos[i], v = vel[i];
  v.y = fmaf(-9.81f, dt, v.y);
  p.x = fmaf(v.x, dt, p.x);
  p.y = fmaf(v.y, dt, p.y);
  p.z = fmaf(v.z, dt, p.z);
  if (p.x < 0 || p.x > 1)
    v.x = -v.x;
  if (p.y < 0 || p.y > 1)
    v.y = -0.9f * v.y;
  if (p.z < 0 || p.z > 1)
    v.z = -v.z;
  pos[i] = p;
  vel[i] = v;
}
