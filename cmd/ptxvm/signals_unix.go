//go:build unix

package main

// This file turns signals that would end the process into errors of the write that caused them, so that no
// temporary file stays.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// ignoreSignals is for readers that leave early, and for limits on the size of files.
func ignoreSignals() {
	for _, s := range []os.Signal{syscall.SIGPIPE, syscall.SIGXFSZ} {
		if !signal.Ignored(s) {
			ignoredHere = append(ignoredHere, s)
		}
	}
	if len(ignoredHere) != 0 { // of none, all would be
		signal.Ignore(ignoredHere...)
	}
}

// ignoredHere are the signals that were not ignored before.
var ignoredHere []os.Signal

// defaultSignals lets a program that takes this one's place have them as it would: what is ignored stays so, and what is handled does not.
func defaultSignals() {
	if len(ignoredHere) != 0 {
		signal.Notify(make(chan os.Signal, 1), ignoredHere...)
	}
}

// closedPipe reports whether a write to standard output or standard error failed because nothing reads it any more.
func closedPipe(err error) bool {
	var at *fs.PathError
	return errors.Is(err, syscall.EPIPE) && errors.As(err, &at) && (at.Path == os.Stdout.Name() || at.Path == os.Stderr.Name())
}

// endByPipe ends the process as SIGPIPE does, now that everything is cleaned up: a write to a standard stream raises it.
func endByPipe() {
	signal.Reset(syscall.SIGPIPE)
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		state := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLOUT}}
		if n, err := unix.Poll(state, 0); err == nil && n > 0 && state[0].Revents&unix.POLLERR != 0 {
			_, _ = f.Write([]byte{'\n'})
		}
	}
}

// warnNoOutput says that results are lost where standard output was closed (>&-). Go opens the null device in its place,
// for reading and writing, which a shell's >/dev/null does not. Python's subprocess.DEVNULL is one like it, so it is no error.
func warnNoOutput(w io.Writer) {
	var out, null unix.Stat_t
	flags, err := unix.FcntlInt(1, unix.F_GETFL, 0)
	if err != nil || flags&unix.O_ACCMODE != unix.O_RDWR || unix.Fstat(1, &out) != nil || unix.Stat(os.DevNull, &null) != nil {
		return
	}
	if out.Mode == null.Mode && out.Rdev == null.Rdev {
		fmt.Fprintln(w, "warning: standard output is closed; results that it would show are lost")
	}
}
