// Output from the device: every kind of conversion once, then one line a lane.
extern "C" __global__ void formats(const float *x) {
  printf("plain %% and %c%c\n", 'o', 'k');
  printf("[%d] [%5d] [%-5d] [%05d] [%+d]\n", -42, 42, 42, 42, 42);
  printf("[%u] [%x] [%X] [%#x] [%o]\n", 3000000000u, 0xbeefu, 0xbeefu, 0xbeefu, 8u);
  printf("[%lld] [%llu] [%ld]\n", -1234567890123456789LL, 12345678901234567890ULL, -9876543210L);
  printf("[%f] [%.2f] [%8.3f] [%e] [%g]\n", x[0], x[1], x[2], x[3], x[4]);
  printf("[%s] [%8s] [%-8s] [%.2s]\n", "text", "right", "left", "cut");
  printf("[%*d] [%i] [%hd] [% d]\n", 6, 7, -1, (short)-2, 3);
  printf("[%E] [%G] [%a] [%10.3e] [%-10g]\n", x[3], x[4], x[0], x[1], x[2]);
}

extern "C" __global__ void hello(int from) {
  if (threadIdx.x >= from)
    printf("block %d thread %d of %d\n", blockIdx.x, threadIdx.x, blockDim.x);
}
