//go:build cudart

package main

// This file is called when the process ends, to say what is left to be said, and to give it the status that it shall
// have.

/*
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

extern int32_t pvm_leave(int32_t status);

static pid_t began;

// leaving is one of exit's handlers. glibc lets a handler call exit: the handlers that are left run, and the process
// ends with the status of that call. A child has no engine.
static void leaving(int status, void *argument) {
	(void)argument;
	if (getpid() != began) return;
	int32_t code = pvm_leave(status & 0xff);
	if (code != (status & 0xff)) exit(code);
}

static void watch_exit(void) {
	began = getpid();
	on_exit(leaving, NULL);
}
*/
import "C"

// watchExit has pvm_leave called when the process ends by exit, or by the end of main.
func watchExit() { C.watch_exit() }
