// Memory: kinds, copies, fills, what pointers are.
#include "driver.h"

int main(void) {
	ptr d, e, m, start;
	size_t size, free0, free1, all;
	unsigned char *h, back[4096];
	handle s;
	begin();
	OK(cuMemGetInfo_v2(&free0, &all));
	OK(cuMemAlloc_v2(&d, 4096));
	OK(cuMemAlloc_v2(&e, 4096));
	OK(cuMemGetInfo_v2(&free1, &all));
	WANT(free1 < free0, 1);
	WANT(d % 256, 0);
	WANT(cuMemAlloc_v2(&m, 0), 1);
	WANT(cuMemAlloc_v2(&m, (size_t)1 << 50), 2);
	OK(cuMemHostAlloc((void **)&h, 4096, 0));
	for (int i = 0; i < 4096; i++) h[i] = i * 7;
	OK(cuMemcpyHtoD_v2(d, h, 4096));
	OK(cuMemcpyDtoD_v2(e, d, 4096));
	OK(cuMemcpyDtoH_v2(back, e, 4096));
	WANT(memcmp(back, h, 4096), 0);
	WANT(cuMemcpyHtoD_v2(d + 1, h, 4096), 1); // one byte too far
	WANT(cuMemcpyDtoH_v2(back, e + 4000, 97), 1);
	WANT(cuMemcpyHtoD_v2((ptr)back, h, 16), 1); // not device memory

	OK(cuMemsetD8_v2(d, 0xab, 4096));
	OK(cuMemsetD16_v2(d + 16, 0x1234, 3));
	OK(cuMemsetD32_v2(d + 64, 0xdeadbeef, 2));
	WANT(cuMemsetD32_v2(d + 2, 0, 1), 1); // not aligned
	OK(cuMemsetD2D32_v2(d + 1024, 512, 0x01020304, 2, 3));
	OK(cuMemcpyDtoH_v2(back, d, 4096));
	static const unsigned char halves[] = {0xab, 0x34, 0x12, 0x34, 0x12, 0x34, 0x12, 0xab}, words[] = {0xef, 0xbe, 0xad, 0xde, 0xef, 0xbe, 0xad, 0xde, 0xab},
		row[] = {0xab, 4, 3, 2, 1, 4, 3, 2, 1, 0xab};
	WANT(memcmp(back + 15, halves, sizeof halves), 0);
	WANT(memcmp(back + 64, words, sizeof words), 0);
	for (int y = 0; y < 3; y++) WANT(memcmp(back + 1023 + 512 * y, row, sizeof row), 0);
	WANT(back[1024 + 512 * 3], 0xab);

	// A box of 8 bytes by 4 rows from the host, at (16, 2) of rows of 256 bytes.
	struct { size_t sx, sy; int st; const void *sh; ptr sd; void *sa; size_t sp; size_t dx, dy; int dt; void *dh; ptr dd; void *da; size_t dp; size_t w, n; } c =
		{0, 0, 1, h, 0, NULL, 64, 16, 2, 2, NULL, e, NULL, 256, 8, 4};
	OK(cuMemsetD8_v2(e, 0, 4096));
	OK(cuMemcpy2D_v2(&c));
	OK(cuMemcpyDtoH_v2(back, e, 4096));
	for (int y = 0; y < 4; y++) WANT(memcmp(back + (2 + y) * 256 + 16, h + y * 64, 8), 0);
	WANT(back[2 * 256 + 24], 0);

	// What a pointer is.
	int kind, attributes[] = {2, 11, 12};
	void *values[] = {&kind, &start, &size};
	OK(cuPointerGetAttributes(3, attributes, values, d + 100));
	WANT(kind, 2);
	WANT(start, d);
	WANT(size, 4096);
	OK(cuPointerGetAttribute(&kind, 2, (ptr)h));
	WANT(kind, 1);
	WANT(cuPointerGetAttribute(&kind, 2, (ptr)back), 1);
	OK(cuPointerGetAttributes(3, attributes, values, (ptr)back));
	WANT(kind, 0);
	OK(cuMemGetAddressRange_v2(&start, &size, d + 4095));
	WANT(start, d);
	WANT(cuMemGetAddressRange_v2(&start, &size, d + 4096) == 0 && start == d, 0);

	// Managed memory is plain memory of the host too; memory in stream order.
	OK(cuMemAllocManaged(&m, 64, 1));
	memset((void *)m, 5, 64);
	OK(cuMemcpyDtoH_v2(back, m, 64));
	WANT(back[63], 5);
	OK(cuStreamCreate(&s, 0));
	OK(cuMemAllocAsync(&start, 4096, s));
	OK(cuMemcpyHtoDAsync_v2(start, h, 4096, s));
	OK(cuMemcpyDtoHAsync_v2(back, start, 4096, s));
	OK(cuMemFreeAsync(start, s));
	OK(cuStreamSynchronize(s));
	WANT(memcmp(back, h, 4096), 0);
	WANT(cuMemFreeHost((void *)d), 1);
	WANT(cuMemFree_v2((ptr)h), 1);
	OK(cuMemFreeHost(h));
	OK(cuMemFree_v2(d));
	WANT(cuMemFree_v2(d), 1);
	OK(cuMemFree_v2(e));
	OK(cuMemFree_v2(m));
	OK(cuMemGetInfo_v2(&free1, &all));
	WANT(free1, free0);
	passed();
}
