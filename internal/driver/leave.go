package driver

// This file ends the process: what is left to be said, and its status.

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/cudaabi"
	"ptxvm.invalid/ptxvm/internal/kernelname"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// counted reports whether an outcome is one that a program must not end with success after: what stops a kernel,
// limits, and what sanitizers report.
func counted(err error) bool {
	_, sticky := codeOf(err)
	return sticky || errors.As(err, new(*vm.SanitizerError)) || errors.As(err, new(*vm.CompilingError))
}

// Leave is called when the process ends with a status, and returns the one that it shall have. atOnce: it waits for
// no work, as in Finish.
func (d *Driver) Leave(status int, atOnce bool) int {
	d.Finish(atOnce)
	for _, f := range d.unasked.take() {
		d.found.Add(1)
		d.warn("the launch of kernel %s failed with %s, and the program never asked (cudaGetLastError)", f.kernel, f.code)
	}
	if text := d.passedOver(); text != "" && d.cfg.Device.Sanitize != 0 {
		d.say(text)
	}
	d.tellStats()
	d.tellCaptured()
	n := d.found.Load()
	if status != 0 || n == 0 || d.cfg.ErrorExit == 0 {
		return status
	}
	things := "things have"
	if n == 1 {
		things = "thing has"
	}
	d.warn("%d %s been reported: exit status %d in place of the program's 0 (--error-exitcode)",
		n, things, d.cfg.ErrorExit)
	return d.cfg.ErrorExit
}

// String is the code with its name.
func (c Code) String() string {
	list := cudaabi.Errors()
	i := slices.IndexFunc(list, func(e cudaabi.Error) bool { return e.Code == int32(c) })
	if i >= 0 && list[i].Runtime != "" {
		return fmt.Sprintf("%d %s", int32(c), list[i].Runtime)
	}
	return fmt.Sprint(int32(c))
}

// unasked are launches by <<<>>> that have failed, by thread, until it asks for its last error.
type unasked struct {
	mu   sync.Mutex
	list []failedLaunch
}

type failedLaunch struct {
	thread uint64
	kernel string
	code   Code
}

// LaunchFailed notes that a launch of a thread has failed whose result is dropped: only the thread's last error
// tells it.
func (d *Driver) LaunchFailed(thread uint64, symbol string, code Code) {
	if code == d.Sticky() {
		return // that has been reported
	}
	d.unasked.mu.Lock()
	defer d.unasked.mu.Unlock()
	d.unasked.list = append(d.unasked.list, failedLaunch{thread, diag.Escape(kernelname.Demangle(symbol)), code})
}

// LastErrorAsked tells that a thread has asked for its last error.
func (d *Driver) LastErrorAsked(thread uint64) {
	d.unasked.mu.Lock()
	defer d.unasked.mu.Unlock()
	d.unasked.list = slices.DeleteFunc(d.unasked.list, func(f failedLaunch) bool { return f.thread == thread })
}

func (u *unasked) take() (list []failedLaunch) {
	u.mu.Lock()
	defer u.mu.Unlock()
	list, u.list = u.list, nil
	return list
}
