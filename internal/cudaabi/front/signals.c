// Signals are the program's. The engine has a runtime of its own, of Go, which would take some and change masks and actions when it is
// loaded, and again in each thread that calls it first: all that is put back here. Threads of the engine take no signal of the
// program's. Actions that a thread takes while it is in the engine find room on its stack there (headroom in cmd/libptxvm), as they may
// have none of their own; the runtime sends its threads no signals at all (.ci/cudart).
//
// What the engine keeps are faults in its own code. A fault in the program's goes on to the program's action: the runtime asks for the one
// that stood when it was loaded, explain (host_access.c).
#define _GNU_SOURCE
#include "front.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE};
static const int never[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}; // what blocks one of them waits for its end

static sigset_t mask;
static struct { int known; struct sigaction action; } program[NSIG];
static struct sigaction runtime[NSIG];
static int asking = -1; // the end of a pipe: SIGUSR1 asks what runs, if nobody else handles it, and a byte tells the engine

// block_most blocks what can be blocked, and tells what was.
static void block_most(sigset_t *was) {
	sigset_t most;
	sigfillset(&most);
	for (size_t i = 0; i < sizeof never / sizeof *never; i++) sigdelset(&most, never[i]);
	pthread_sigmask(SIG_SETMASK, &most, was);
}

void keep_signals(int first) {
	for (int i = 1; first && i < NSIG; i++) program[i].known = sigaction(i, NULL, &program[i].action) == 0;
	block_most(&mask); // threads that are begun while the engine is loaded have that mask, and those that they begin
}

// sent decides about the signals of faults: the runtime would end the process at one that somebody has sent.
static void sent(int signal, siginfo_t *info, void *context) {
	struct sigaction *to = info->si_code > 0 ? &runtime[signal] : &program[signal].action;
	if (to->sa_flags & SA_SIGINFO) {
		to->sa_sigaction(signal, info, context);
	} else if (to->sa_handler == SIG_DFL) {
		sigaction(signal, to, NULL);
		raise(signal); // when this returns
	} else if (to->sa_handler != SIG_IGN) {
		to->sa_handler(signal);
	}
}

static int same(const struct sigaction *a, const struct sigaction *b) {
	return a->sa_flags == b->sa_flags && (a->sa_flags & SA_SIGINFO ? a->sa_sigaction == b->sa_sigaction : a->sa_handler == b->sa_handler);
}

static int is_fault(int signal) {
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		if (faults[i] == signal) return 1;
	return 0;
}

void give_back_signals(int first) {
	for (int i = 1; first && i < NSIG; i++) {
		if (!program[i].known || sigaction(i, NULL, &runtime[i]) || (i == SIGUSR1 && asking >= 0)) continue;
		if (is_fault(i)) {
			struct sigaction ours = {.sa_sigaction = sent, .sa_flags = SA_SIGINFO | SA_ONSTACK, .sa_mask = runtime[i].sa_mask};
			sigaction(i, &ours, NULL);
		} else if (!same(&runtime[i], &program[i].action)) {
			sigaction(i, &program[i].action, NULL);
		}
	}
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

// entering calls the engine from a thread for the first time, which changes the thread's mask. There is no room for actions before its end.
error_t entering(struct pvm_thread **out) {
	sigset_t own;
	block_most(&own);
	error_t e = pvm_thread(out);
	pthread_sigmask(SIG_SETMASK, &own, NULL);
	return e;
}

static void ask(int signal) {
	(void)signal;
	if (write(asking, "?", 1) < 0) {} // then it has been asked often enough
}

int answer_usr1(void) {
	struct sigaction now;
	int ends[2];
	if (sigaction(SIGUSR1, NULL, &now) || now.sa_flags & SA_SIGINFO || now.sa_handler != SIG_DFL || pipe2(ends, O_CLOEXEC)) return -1;
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	asking = ends[1];
	struct sigaction ours = {.sa_handler = ask, .sa_flags = SA_RESTART | SA_ONSTACK};
	sigaction(SIGUSR1, &ours, NULL);
	return ends[0];
}
