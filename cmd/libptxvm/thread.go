//go:build cudart

package main

// This file holds what the engine knows of a thread of the program; it ends with the thread.

/*
#include <stdint.h>
#include "../../internal/cudaabi/front/pvm.h"

static _Thread_local int32_t capture_mode;
static _Thread_local struct pvm_thread both;
static int32_t runtime_used;

static struct pvm_thread *thread_both(void) {
	both.process = &runtime_used;
	return &both;
}

// The depth of host functions of the program that the thread is in.
static _Thread_local int32_t host_depth;

static void call_host(uint64_t f, uint64_t argument) {
	host_depth++;
	((void (*)(void *))f)((void *)argument);
	host_depth--;
}

static int32_t in_host(void) { return host_depth; }
static int32_t used_runtime(void) { return runtime_used; }

static uint64_t thread_id(void) { return (uintptr_t)&capture_mode; }
static int32_t thread_capture_mode(void) { return capture_mode; }

static int32_t exchange_capture_mode(int32_t mode) {
	int32_t old = capture_mode;
	capture_mode = mode;
	return old;
}
*/
import "C"

import "ptxvm.invalid/ptxvm/internal/driver"

// thread is the thread that calls the engine, and which captures it heeds.
func thread() (id uint64, mode driver.CaptureMode) {
	return uint64(C.thread_id()), driver.CaptureMode(C.thread_capture_mode())
}

// both is what the libraries have in common of the thread that calls the engine.
func both() *C.struct_pvm_thread { return C.thread_both() }

// callHost runs a function of the program.
func callHost(fn, argument uint64) { C.call_host(C.uint64_t(fn), C.uint64_t(argument)) }

// runtimeUsed reports whether the program uses the Runtime API, at whose end kernels that run finish.
func runtimeUsed() bool { return C.used_runtime() != 0 }

// inHost reports whether such a function has called the engine.
func inHost() bool { return C.in_host() != 0 }

// room is what a thread of the program has on the stack of the engine beyond what the engine needs, for actions of signals that come
// meanwhile: those without SA_ONSTACK, and all where the thread has no stack for signals.
const (
	room  = 256 << 10
	piece = 32 << 10
)

// headroom grows the stack of the thread that calls, which never shrinks again (.ci/cudart).
//
//go:noinline
func headroom(bytes int) byte {
	var frame [piece]byte
	frame[bytes%piece] = 1
	if bytes > piece {
		frame[0] += headroom(bytes - piece)
	}
	return frame[0]
}

// exchangeCaptureMode gives the thread a mode and returns the one that it had.
func exchangeCaptureMode(mode int32) int32 { return int32(C.exchange_capture_mode(C.int32_t(mode))) }
