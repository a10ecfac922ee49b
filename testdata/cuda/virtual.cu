// Virtual functions: objects made on the device heap by one kernel, used and destroyed by others.
struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int area() const = 0;
  __device__ virtual int corners() const { return 0; }
};

struct Rect : Shape {
  int w, h;
  __device__ Rect(int w, int h) : w(w), h(h) {}
  __device__ int area() const override { return w * h; }
  __device__ int corners() const override { return 4; }
};

struct Square : Rect {
  __device__ Square(int w) : Rect(w, w) {}
};

struct Disc : Shape {
  int r;
  __device__ Disc(int r) : r(r) {}
  __device__ int area() const override { return r * r * 355 / 113; }
};

struct Triangle : Shape {
  int b, h;
  int *destroyed;
  __device__ Triangle(int b, int h, int *destroyed) : b(b), h(h), destroyed(destroyed) {}
  __device__ ~Triangle() override { atomicAdd(destroyed, 1); }
  __device__ int area() const override { return b * h / 2; }
  __device__ int corners() const override { return 3; }
};

extern "C" __global__ void makeShapes(Shape **shapes, int n, int *destroyed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  switch (i % 4) {
  case 0: shapes[i] = new Rect(i, i + 1); break;
  case 1: shapes[i] = new Square(i); break;
  case 2: shapes[i] = new Disc(i); break;
  default: shapes[i] = new Triangle(i, i + 3, destroyed);
  }
}

extern "C" __global__ void measureShapes(Shape *const *shapes, int n, int2 *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = make_int2(shapes[i]->area(), shapes[i]->corners());
}

extern "C" __global__ void deleteShapes(Shape **shapes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  delete shapes[i];
  shapes[i] = nullptr;
}
