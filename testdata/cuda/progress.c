// stderr: kernel wait has run for
// stderr: no kernel runs
// SIGUSR1 asks what runs; a handler of the program's own would have it instead.
#include "driver.h"
#include <signal.h>
#include <unistd.h>

static const char waiting[] =
	".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry wait(.param .u64 at)\n{\n"
	".reg .b64 %a; .reg .b32 %v; .reg .pred %p;\nld.param.u64 %a, [at];\n"
	"again: ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; @%p bra again; ret;\n}\n";

int main(void) {
	handle m, f;
	volatile uint32_t *flag;
	begin();
	OK(cuModuleLoadData(&m, waiting));
	OK(cuModuleGetFunction(&f, m, "wait"));
	OK(cuMemHostAlloc((void **)&flag, 4, 0));
	*flag = 0;
	raise(SIGUSR1);
	usleep(300000);
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, (void *[]){&flag}, NULL));
	usleep(300000);
	raise(SIGUSR1);
	usleep(300000);
	*flag = 1;
	OK(cuCtxSynchronize());
	passed();
}
