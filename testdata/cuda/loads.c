// Modules that are loaded and unloaded ten thousand times, each its own text or all the same, leave nothing behind.
#include "driver.h"

// resident is the memory of the process, in KiB.
static long resident(void) {
	char line[256];
	long kib = 0;
	FILE *f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "VmRSS: %ld", &kib) == 1) break;
	if (f) fclose(f);
	return kib;
}

static void load(int i) {
	char text[sizeof kernels + 64];
	handle m, f;
	ptr d;
	unsigned by = 1, n = 4, got;
	size_t size;
	snprintf(text, sizeof text, "%s// %d\n", kernels, i);
	OK(cuModuleLoadData(&m, text));
	OK(cuModuleGetFunction(&f, m, "add"));
	OK(cuModuleGetGlobal_v2(&d, &size, m, "total"));
	n = 1;
	OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, (void *[]){&d, &by, &n}, NULL));
	OK(cuMemcpyDtoH_v2(&got, d, 4));
	WANT(got, 8);
	OK(cuModuleUnload(m));
}

int main(void) {
	size_t before, after, all;
	enum { WARM = 4000, LOADS = 5000, MIB = 1024 };
	begin();
	load(0); // launches keep room for their parameters
	OK(cuMemGetInfo_v2(&before, &all));
	for (int same = 0; same < 2; same++) {
		for (int i = 0; i < WARM; i++) load(same ? 0 : i);
		long grown = resident();
		for (int i = 0; i < LOADS; i++) load(same ? 0 : WARM + i);
		grown = resident() - grown;
		fprintf(stdout, "%s: %ld KiB more after %d loads\n", same ? "the same text" : "texts of their own", grown, LOADS);
		if (grown > 16 * MIB) return 1;
	}
	OK(cuMemGetInfo_v2(&after, &all));
	WANT(after, before);
	passed();
}
