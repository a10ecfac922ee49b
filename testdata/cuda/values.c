// Words that streams write and wait for: comparisons of both sizes, batches, captures, a stream that waits for another and for the host.
// stderr: cuStreamBatchMemOp with an atomic reduction
#include "driver.h"
#include <unistd.h>

struct operation { int kind; uint64_t address, value; unsigned flags; uint64_t alias, reserved; };
int cuStreamWriteValue32_v2(handle, ptr, uint32_t, unsigned);
int cuStreamWriteValue64_v2(handle, ptr, uint64_t, unsigned);
int cuStreamWaitValue32_v2(handle, ptr, uint32_t, unsigned);
int cuStreamWaitValue64_v2(handle, ptr, uint64_t, unsigned);
int cuStreamWaitValue32(handle, ptr, uint32_t, unsigned);
int cuStreamBatchMemOp_v2(handle, unsigned, const struct operation *, unsigned);
int cuStreamBeginCapture_v2(handle, int);
int cuStreamEndCapture(handle, handle *);
int cuGraphInstantiateWithFlags(handle *, handle, unsigned long long);
int cuGraphLaunch(handle, handle);
int cuGraphGetNodes(handle, handle *, size_t *);
int cuGraphNodeGetType(handle, int *);
int cuGraphExecDestroy(handle);
int cuGraphDestroy(handle);
enum { GEQ, EQ, AND, NOR, FLUSH = 1 << 30, NOT_READY = 600 };

static handle s, other;

// waits tells whether a stream goes on behind a wait as a word is, and then lets it go on by another word.
static int waits(ptr at, int wide, uint64_t word, uint64_t value, unsigned how, uint64_t other_word) {
	OK(cuMemcpyHtoD_v2(at, &word, wide ? 8 : 4));
	OK(wide ? cuStreamWaitValue64_v2(s, at, value, how) : cuStreamWaitValue32_v2(s, at, (uint32_t)value, how));
	for (int i = 0; i < 20 && cuStreamQuery(s) == NOT_READY; i++) usleep(1000);
	int waited = cuStreamQuery(s) == NOT_READY;
	OK(wide ? cuStreamWriteValue64_v2(other, at, other_word, 0) : cuStreamWriteValue32_v2(other, at, (uint32_t)other_word, 1));
	OK(cuStreamSynchronize(s));
	OK(cuStreamSynchronize(other));
	return waited;
}

int main(void) {
	ptr at;
	uint32_t *pinned, got[2] = {0};
	int able;
	begin();
	OK(cuStreamCreate(&s, 1));
	OK(cuStreamCreate(&other, 1));
	OK(cuMemAlloc_v2(&at, 64));
	OK(cuMemHostAlloc((void **)&pinned, 64, 0));
	const int attributes[] = {92, 93, 94, 122, 123};
	for (int i = 0; i < 5; i++) {
		OK(cuDeviceGetAttribute(&able, attributes[i], 0));
		WANT(able, 1);
	}

	const uint64_t wide = 1ull << 32;
	WANT(waits(at, 0, 5, 5, GEQ, 0), 0);
	WANT(waits(at, 0, 6, 5, GEQ, 0), 0);
	WANT(waits(at, 0, 4, 5, GEQ, 5), 1);
	WANT(waits(at, 0, 2, 0xfffffffe, GEQ, 0), 0); // counted round
	WANT(waits(at, 0, 0xfffffffe, 2, GEQ, 2), 1);
	WANT(waits(at, 0, 7, 7, EQ, 0), 0);
	WANT(waits(at, 0, 8, 7, EQ, 7), 1);
	WANT(waits(at, 0, 0x10, 0x11, AND, 0), 0);
	WANT(waits(at, 0, 0x20, 0x11, AND, 1), 1);
	WANT(waits(at, 0, 0xffff0000, 0x0000fffe, NOR, 0), 0);
	WANT(waits(at, 0, 0xffff0000, 0x0000ffff, NOR, 0), 1);
	WANT(waits(at, 1, wide + 1, wide, GEQ, 0), 0);
	WANT(waits(at, 1, wide - 1, wide, GEQ, wide), 1);
	WANT(waits(at, 1, wide, 0, EQ, 0), 1);
	WANT(waits(at, 1, wide, wide, AND | FLUSH, 0), 0);
	WANT(waits((ptr)(uintptr_t)pinned, 0, 1, 1, EQ, 0), 0);

	// The host lets a stream go on.
	*(volatile uint32_t *)pinned = 0;
	OK(cuStreamWaitValue32(s, (ptr)(uintptr_t)pinned, 9, EQ));
	OK(cuStreamWriteValue32_v2(s, at, 77, 0));
	usleep(20000);
	WANT(cuStreamQuery(s), NOT_READY);
	*(volatile uint32_t *)pinned = 9;
	OK(cuStreamSynchronize(s));
	OK(cuMemcpyDtoH_v2(got, at, 4));
	WANT(got[0], 77);

	// A batch: all or nothing.
	struct operation list[] = {{2, at, 3, 0, 0, 0}, {1, at, 3, EQ, 0, 0}, {5, at + 8, wide, 0, 0, 0}, {6, 0, 0, 0, 0, 0}, {4, at + 8, wide, EQ, 0, 0}};
	OK(cuStreamBatchMemOp_v2(s, 5, list, 0));
	OK(cuStreamSynchronize(s));
	OK(cuMemcpyDtoH_v2(got, at, 4));
	WANT(got[0], 3);
	list[0].value = 4, list[1].address = at + 2;
	WANT(cuStreamBatchMemOp_v2(s, 5, list, 0), 1);
	list[1].kind = 8;
	WANT(cuStreamBatchMemOp_v2(s, 5, list, 0), 801);
	OK(cuStreamSynchronize(s));
	OK(cuMemcpyDtoH_v2(got, at, 4));
	WANT(got[0], 3);

	// As nodes of a graph.
	handle g, x, node;
	size_t n = 1;
	int type;
	OK(cuStreamBeginCapture_v2(s, 0));
	OK(cuStreamWriteValue32_v2(s, at, 11, 0));
	OK(cuStreamEndCapture(s, &g));
	OK(cuGraphGetNodes(g, &node, &n));
	OK(cuGraphNodeGetType(node, &type));
	WANT(n == 1 && type == 12, 1);
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	OK(cuGraphLaunch(x, s));
	OK(cuStreamSynchronize(s));
	OK(cuMemcpyDtoH_v2(got, at, 4));
	WANT(got[0], 11);
	OK(cuGraphExecDestroy(x));
	OK(cuGraphDestroy(g));

	// What is refused: addresses that are none or odd, unknown flags.
	WANT(cuStreamWriteValue32_v2(s, 0x1234, 0, 0), 1);
	WANT(cuStreamWriteValue32_v2(s, at + 1, 0, 0), 1);
	WANT(cuStreamWriteValue64_v2(s, at + 4, 0, 0), 1);
	WANT(cuStreamWaitValue32_v2(s, at, 0, 4), 1);
	WANT(cuStreamWriteValue32_v2(s, at, 0, 2), 1);
	OK(cuMemFree_v2(at));
	OK(cuMemFreeHost(pinned));
	passed();
	return 0;
}
