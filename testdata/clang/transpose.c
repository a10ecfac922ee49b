// Transposes a square matrix by tiles of 16x16 in shared memory.
#define tile 16
static __attribute__((address_space(3))) unsigned short cells[tile][tile + 1];

__attribute__((nvptx_kernel)) void transpose(const unsigned short *in, unsigned short *out, int n) {
  int x = __nvvm_read_ptx_sreg_tid_x(), y = __nvvm_read_ptx_sreg_tid_y();
  int column = __nvvm_read_ptx_sreg_ctaid_x() * tile, row = __nvvm_read_ptx_sreg_ctaid_y() * tile;
  if (column + x < n && row + y < n)
    cells[y][x] = in[(row + y) * n + column + x];
  __syncthreads();
  if (row + x < n && column + y < n)
    out[(column + y) * n + row + x] = cells[x][y];
}
