package main

// plan is what to capture first: each line is a command, in the order of what depends on it.
const plan = `# 1. conversions of sm_90 with sources of up to 16 bits: every operand of every form
oracle sweep -o internal/num/testdata/hw/cvt-sm_90.txt cvt
# 2. surfaces: out of bounds and misaligned, the cases that fault last; then the rows of the vector file
oracle sweep -o internal/tex/testdata/hw/surface-sm_90.txt surface
oracle vectors -write internal/sem/testdata/vec/surface.txt
# 3. approximate functions over all 2^32 operands, as checksums; a table of one of them
oracle sweep -o internal/num/testdata/hw/approx-sm_90.txt approx
oracle sweep -only rcp.approx.ftz.f32 -from 0x3f800000 -count 0x800000 -raw rcp-sm_90.bin approx
# 4. all vector files; the rows that the device confirms are marked
oracle vectors -write internal/sem/testdata/vec/*.txt
# 5. products of matrices: numbers near and far from each other, tiny, special, whole
oracle products -o internal/testkit/oracle/testdata/products-sm_90.txt
`
