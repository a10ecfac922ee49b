// exit: 3
// stdout: PASSED
// stderr: the kernel does not have 2 parameters
// stderr: fault P7003: access through a null pointer
// libgpuocelot.so: a kernel on memory of the host, by the function that tinygrad's MOCKGPU calls.
#include "driver.h"

#include <dlfcn.h>

static int (*ptx_run)(const char *, int, void **, int, int, int, int, int, int, int);

// moved adds a number of 32 bits to words, through dynamic shared memory.
static const char moved[] =
	".version 7.5\n.target sm_35\n.address_size 64\n.extern .shared .align 4 .b8 part[];\n"
	".visible .entry moved(.param .u64 from, .param .u64 to, .param .u32 by)\n{\n"
	".reg .b64 %a, %o; .reg .b32 %i, %c, %v, %b, %s;\n"
	"mov.u32 %i, %ctaid.x; mov.u32 %c, %ntid.x; mov.u32 %v, %tid.x; shl.b32 %s, %v, 2; mad.lo.u32 %i, %i, %c, %v;\n"
	"mul.wide.u32 %o, %i, 4; ld.param.u64 %a, [from]; add.u64 %a, %a, %o; ld.global.u32 %v, [%a];\n"
	"mov.u32 %b, part; add.u32 %s, %s, %b; st.shared.u32 [%s], %v; bar.sync 0; ld.shared.u32 %v, [%s];\n"
	"ld.param.u32 %b, [by]; add.u32 %v, %v, %b;\n"
	"ld.param.u64 %a, [to]; add.u64 %a, %a, %o; st.global.u32 [%a], %v; ret;\n}\n";

static int run(const void *from, void *to, uint64_t by, int n) {
	return ptx_run(moved, n, (void *[]){(void *)from, to, (void *)by}, 64, 1, 1, 4, 1, 1, 64 * 4);
}

int main(void) {
	void *library = dlopen("libgpuocelot.so", RTLD_NOW);
	if (!library || !(ptx_run = dlsym(library, "ptx_run"))) return fprintf(stderr, "%s\n", dlerror()), 1;
	enum { N = 256 };
	unsigned on_stack[N], *small = malloc(sizeof on_stack), *large = malloc(64 << 20);
	static unsigned fixed[N];
	for (int i = 0; i < N; i++) on_stack[i] = i * 3;
	// Of the third argument 32 bits count, whatever is above them.
	OK(run(on_stack, small, 1 | (uint64_t)0xabcd << 32, 3));
	OK(run(small, large + (8 << 20), 2, 3));
	OK(run(large + (8 << 20), fixed, (uint32_t)(uintptr_t)small, 3));
	for (int i = 0; i < N; i++) WANT(fixed[i], (unsigned)(i * 3 + 3 + (uint32_t)(uintptr_t)small));
	OK(run(fixed, fixed, -fixed[0], 3)); // in place
	WANT(fixed[N - 1], (N - 1) * 3);
	WANT(run(small, fixed, 1, 2), 1);
	WANT(ptx_run(NULL, 0, NULL, 1, 1, 1, 1, 1, 1, 0), 1);
	WANT(ptx_run("no PTX", 0, NULL, 1, 1, 1, 1, 1, 1, 0), 218);
	WANT(run(small, NULL, 1, 3), 700);
	passed();
}
