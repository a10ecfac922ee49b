// CRC-32 (IEEE 802.3, reflected) of each line of a table of bytes, bit by bit.
__attribute__((nvptx_kernel)) void crc32(const unsigned char *lines, unsigned int *out, int count, int length) {
  int line = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
  if (line >= count)
    return;
  unsigned int crc = ~0u;
  for (int i = 0; i < length; i++) {
    crc ^= lines[line * length + i];
    for (int bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  out[line] = ~crc;
}
