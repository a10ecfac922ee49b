// Signals are the program's, and so are its threads' masks and stacks: a row for each thing that a program does with them, in a process
// of its own. signals [TIMES [ROW]] runs each row as often.
#define _GNU_SOURCE
#include "driver.h"
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char text[] =
	".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry work(.param .u64 at, .param .u32 n)\n{\n"
	".reg .b64 %a, %o; .reg .b32 %v, %i, %n; .reg .pred %p;\nld.param.u64 %a, [at]; ld.param.u32 %n, [n]; mov.u32 %i, %tid.x;\n"
	"mul.wide.u32 %o, %i, 4; add.u64 %a, %a, %o; ld.global.u32 %v, [%a]; mov.u32 %i, 0;\n"
	"again: mad.lo.u32 %v, %v, 5, 7; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra again; st.global.u32 [%a], %v; ret;\n}\n"
	".visible .entry wait(.param .u64 at)\n{\n.reg .b64 %a; .reg .b32 %v; .reg .pred %p;\nld.param.u64 %a, [at];\n"
	"again: ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; @%p bra again; ret;\n}\n";

#define EXPECT(what) do { if (!(what)) { printf("line %d: not so: %s\n", __LINE__, #what); fflush(stdout); _exit(1); } } while (0)

static handle context, module, work, waiting;
static ptr memory;

// use launches kernels, and allocates and frees, so that the engine collects what it no longer needs.
static void use(int times) {
	if (!module) {
		context = begin();
		OK(cuModuleLoadData(&module, text));
		OK(cuModuleGetFunction(&work, module, "work"));
		OK(cuModuleGetFunction(&waiting, module, "wait"));
		OK(cuMemAlloc_v2(&memory, 1024));
	}
	OK(cuCtxSetCurrent(context));
	uint32_t n = 4000;
	for (int i = 0; i < times; i++) {
		ptr p;
		OK(cuLaunchKernel(work, 1, 1, 1, 256, 1, 1, 0, 0, (void *[]){&memory, &n}, NULL));
		OK(cuCtxSynchronize());
		OK(cuMemAlloc_v2(&p, 1 << 20));
		OK(cuMemFree_v2(p));
	}
}

enum { TIMES = 30, STACK = 1 << 16 };
static volatile sig_atomic_t came, elsewhere, off_stack;
static volatile char *stack_low;
static sigjmp_buf again;

static void count(int s) { (void)s; came++; elsewhere += syscall(SYS_gettid) != getpid(); }
static void jump(int s) { (void)s; came++; siglongjmp(again, 1); }

// deep uses more of a stack than those that a runtime of coroutines begins with have.
static void deep(int s) {
	volatile char frame[100 << 10];
	for (size_t i = 0; i < sizeof frame; i += 256) frame[i] = (char)i;
	count(s);
}

static void on_stack(int s) {
	volatile char here = 0;
	off_stack += &here < stack_low || &here >= stack_low + STACK;
	count(s);
}

static void act(int s, void (*f)(int), int flags) {
	struct sigaction a = {.sa_handler = f, .sa_flags = flags};
	EXPECT(sigaction(s, &a, NULL) == 0);
}

static stack_t give_stack(void) {
	stack_t mine = {.ss_size = STACK, .ss_sp = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)}, before;
	stack_low = mine.ss_sp;
	EXPECT(sigaltstack(&mine, &before) == 0);
	return before;
}

static void no_stack(void) { EXPECT(sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL) == 0); }

static void tick(int which, int us) { setitimer(which, &(struct itimerval){{0, us}, {0, us}}, NULL); }

static void stack_taken_away(void) {
	stack_t before = give_stack();
	use(1);
	EXPECT(sigaltstack(&before, NULL) == 0);
	EXPECT(munmap((void *)stack_low, STACK) == 0);
	use(TIMES);
}

static void stack_never(void) {
	use(1);
	no_stack();
	use(TIMES);
}

static void stack_given_later(void) {
	use(1);
	give_stack();
	act(SIGALRM, on_stack, SA_ONSTACK | SA_RESTART);
	tick(ITIMER_REAL, 500);
	use(TIMES);
	tick(ITIMER_REAL, 0);
	EXPECT(came > 0 && off_stack == 0);
}

static void handler_without_stack(void) {
	use(1);
	act(SIGALRM, deep, SA_RESTART);
	tick(ITIMER_REAL, 500);
	use(TIMES);
	no_stack();
	use(TIMES);
	EXPECT(came > 0);
}

static void *used_by_thread(void *arg) {
	use(1);
	no_stack();
	use(TIMES / 3);
	return arg;
}

static void handlers_in_threads(void) {
	pthread_t t[3];
	act(SIGALRM, deep, SA_RESTART);
	use(1);
	tick(ITIMER_REAL, 500);
	for (int i = 0; i < 3; i++) EXPECT(pthread_create(&t[i], NULL, used_by_thread, NULL) == 0);
	for (int i = 0; i < 3; i++) {
		pthread_kill(t[i], SIGALRM);
		pthread_join(t[i], NULL);
	}
	EXPECT(came > 0);
}

static void profile_before(void) {
	act(SIGPROF, deep, SA_RESTART);
	tick(ITIMER_PROF, 1000);
	use(TIMES);
	EXPECT(elsewhere == 0);
}

static void profile_later(void) {
	use(1);
	act(SIGPROF, deep, SA_RESTART);
	tick(ITIMER_PROF, 1000);
	no_stack();
	use(TIMES);
	EXPECT(elsewhere == 0);
}

static void urgent_before(void) {
	act(SIGURG, count, 0);
	use(TIMES);
	EXPECT(came == 0);
	raise(SIGURG);
	EXPECT(came == 1);
}

static void urgent_later(void) {
	use(1);
	act(SIGURG, count, 0);
	use(TIMES);
	EXPECT(came == 0);
	raise(SIGURG);
	EXPECT(came == 1);
}

static void fault(void) {
	if (!sigsetjmp(again, 1)) *(volatile int *)8 = 1;
}

static void fault_before(void) {
	act(SIGSEGV, jump, 0);
	use(1);
	for (int i = 0; i < 3; i++) fault(), use(3);
	EXPECT(came == 3);
}

static void fault_later(void) {
	use(1);
	act(SIGSEGV, jump, 0);
	for (int i = 0; i < 3; i++) fault(), use(3);
	EXPECT(came == 3);
}

static void fault_without_stack(void) {
	act(SIGSEGV, jump, 0);
	use(1);
	no_stack();
	for (int i = 0; i < 3; i++) fault(), use(3);
	EXPECT(came == 3);
}

static void fault_sent(void) {
	act(SIGSEGV, count, 0);
	act(SIGFPE, count, 0);
	use(1);
	raise(SIGSEGV);
	raise(SIGFPE);
	use(1);
	raise(SIGSEGV);
	EXPECT(came == 3);
}

static void fault_kills(void) {
	use(1);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	*(volatile int *)8 = 1;
}

enum { RESTORER = 0x04000000 }; // which the C library sets

static void actions_stay(void) {
	struct sigaction was[NSIG] = {0}, now;
	act(SIGTERM, count, 0);
	act(SIGUSR2, count, SA_RESTART);
	act(SIGHUP, SIG_IGN, 0);
	act(SIGUSR1, count, 0); // else it asks what runs
	for (int i = 1; i < NSIG; i++) sigaction(i, NULL, &was[i]);
	use(TIMES);
	for (int i = 1; i < NSIG; i++)
		if (i != SIGSEGV && i != SIGBUS && i != SIGFPE && sigaction(i, NULL, &now) == 0)
			EXPECT(now.sa_handler == was[i].sa_handler && (now.sa_flags & ~RESTORER) == (was[i].sa_flags & ~RESTORER));
}

static void *mask_stays(void *arg) {
	sigset_t all, was, now;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	pthread_sigmask(SIG_SETMASK, NULL, &was);
	use(3);
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	for (int i = 1; i < NSIG; i++) EXPECT(sigismember(&was, i) == sigismember(&now, i));
	return arg;
}

static void masks_stay(void) {
	pthread_t t;
	mask_stays(NULL);
	EXPECT(pthread_create(&t, NULL, mask_stays, NULL) == 0);
	pthread_join(t, NULL);
}

static void blocked_are_awaited(void) {
	sigset_t wanted;
	siginfo_t info;
	sigemptyset(&wanted);
	sigaddset(&wanted, SIGCHLD);
	sigaddset(&wanted, SIGPROF);
	sigaddset(&wanted, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &wanted, NULL);
	use(TIMES);
	const int kinds[] = {SIGCHLD, SIGPROF, SIGTERM};
	for (int i = 0; i < 3; i++) {
		EXPECT(kill(getpid(), kinds[i]) == 0);
		EXPECT(sigtimedwait(&wanted, &info, &(struct timespec){10, 0}) == kinds[i]);
	}
}

static void pipe_kills(void) {
	int ends[2];
	use(1);
	EXPECT(pipe(ends) == 0);
	close(ends[0]);
	if (write(ends[1], "x", 1) < 0) {}
}

static void *interrupt(void *arg) {
	usleep(50000);
	kill(getpid(), SIGINT);
	return arg;
}

static void interrupt_kills(void) {
	volatile uint32_t *flag;
	pthread_t t;
	use(1);
	OK(cuMemHostAlloc((void **)&flag, 4, 0));
	*flag = 0;
	EXPECT(pthread_create(&t, NULL, interrupt, NULL) == 0);
	OK(cuLaunchKernel(waiting, 1, 1, 1, 1, 1, 1, 0, 0, (void *[]){&flag}, NULL));
	cuCtxSynchronize();
}

static const struct row { const char *name; void (*run)(void); int ends; } rows[] = {
	{"stack_taken_away", stack_taken_away, 0},
	{"stack_never", stack_never, 0},
	{"stack_given_later", stack_given_later, 0},
	{"handler_without_stack", handler_without_stack, 0},
	{"handlers_in_threads", handlers_in_threads, 0},
	{"profile_before", profile_before, 0},
	{"profile_later", profile_later, 0},
	{"urgent_before", urgent_before, 0},
	{"urgent_later", urgent_later, 0},
	{"fault_before", fault_before, 0},
	{"fault_later", fault_later, 0},
	{"fault_without_stack", fault_without_stack, 0},
	{"fault_sent", fault_sent, 0},
	{"fault_kills", fault_kills, SIGSEGV},
	{"actions_stay", actions_stay, 0},
	{"masks_stay", masks_stay, 0},
	{"blocked_are_awaited", blocked_are_awaited, 0},
	{"pipe_kills", pipe_kills, SIGPIPE},
	{"interrupt_kills", interrupt_kills, SIGINT},
};

// run runs a row in a process of its own; it answers whether that ended as it is to.
static int run(const struct row *r) {
	int status = 0;
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		alarm(0);
		r->run();
		signal(SIGALRM, SIG_IGN);
		fflush(stdout);
		_exit(0);
	}
	EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid);
	if (r->ends ? WIFSIGNALED(status) && WTERMSIG(status) == r->ends : WIFEXITED(status) && WEXITSTATUS(status) == 0) return 1;
	printf("%s: status %#x\n", r->name, status);
	return 0;
}

int main(int argc, char **argv) {
	int times = argc > 1 ? atoi(argv[1]) : 1, bad = 0;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (int k = 0; k < times && (argc < 3 || !strcmp(argv[2], rows[i].name)); k++) bad += !run(&rows[i]);
	if (!bad) printf("PASSED\n");
	return bad != 0;
}
