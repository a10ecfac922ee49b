// A picture is read through one surface, sharpened, and written through another.

inline __device__ int weigh(int middle, int left, int right, int above, int below)
{
    int v = 5 * middle - left - right - above - below;
    return min(max(v, 0), 255);
}

extern "C" __global__ void sharpen(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    // x counts bytes; beyond the edge the nearest pixel is read.
    uchar4 m, l, r, a, b;
    surf2Dread(&m, in, x * 4, y, cudaBoundaryModeClamp);
    surf2Dread(&l, in, x * 4 - 4, y, cudaBoundaryModeClamp);
    surf2Dread(&r, in, x * 4 + 4, y, cudaBoundaryModeClamp);
    surf2Dread(&a, in, x * 4, y - 1, cudaBoundaryModeClamp);
    surf2Dread(&b, in, x * 4, y + 1, cudaBoundaryModeClamp);
    m.x = weigh(m.x, l.x, r.x, a.x, b.x);
    m.y = weigh(m.y, l.y, r.y, a.y, b.y);
    m.z = weigh(m.z, l.z, r.z, a.z, b.z);
    surf2Dwrite(m, out, x * 4, y, cudaBoundaryModeTrap);
}
