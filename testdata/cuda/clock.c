// Kernels that spin by a clock take as long as the rate says that devices report, whichever clock it is, and events say so.
#include "driver.h"
#include <math.h>

#define SPIN(name, type, clock) \
	".visible .entry " name "(.param .u64 n, .param .u64 out)\n{\n" \
	".reg ." type " %t, %s, %n; .reg .b64 %m, %o, %g, %h; .reg .pred %p;\nld.param.u64 %m, [n]; ld.param.u64 %o, [out];\n" \
	"cvt." type ".u64 %n, %m; mov.u64 %g, %globaltimer; mov." type " %t, " clock ";\n" \
	"again: mov." type " %s, " clock "; sub." type " %s, %s, %t; setp.lt." type " %p, %s, %n; @%p bra again;\n" \
	"mov.u64 %h, %globaltimer; sub.u64 %h, %h, %g; st.global.u64 [%o], %h; ret;\n}\n"

static const char text[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
	SPIN("by_clock", "u32", "%clock") SPIN("by_clock64", "u64", "%clock64") SPIN("by_globaltimer", "u64", "%globaltimer");

enum { MS = 20, CLOCK_RATE = 13 };

int main(void) {
	handle m, f, from, to;
	int khz;
	volatile uint64_t *passed_ns;
	begin();
	OK(cuDeviceGetAttribute(&khz, CLOCK_RATE, 0));
	OK(cuModuleLoadData(&m, text));
	OK(cuMemHostAlloc((void **)&passed_ns, 8, 0));
	OK(cuEventCreate(&from, 0));
	OK(cuEventCreate(&to, 0));
	const char *names[] = {"by_clock", "by_clock64", "by_globaltimer"};
	const uint64_t spins[] = {(uint64_t)MS * khz, (uint64_t)MS * khz, MS * 1000000};
	for (int i = 0; i < 3; i++) {
		float ms;
		OK(cuModuleGetFunction(&f, m, names[i]));
		OK(cuEventRecord(from, 0));
		OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, (void *[]){(void *)&spins[i], &passed_ns}, NULL));
		OK(cuEventRecord(to, 0));
		OK(cuEventSynchronize(to));
		OK(cuEventElapsedTime(&ms, from, to));
		double timer = *passed_ns * 1e-6; // what spins may be held up, and so may what is around it
		if (timer < MS * 0.99 || ms < timer * 0.99 || ms > 5 * timer + 100) {
			printf("%s: %g ms by the timer, %g ms by events, of %d\n", names[i], timer, ms, MS);
			return 1;
		}
	}
	passed();
}
