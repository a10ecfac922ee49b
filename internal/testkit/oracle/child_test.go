package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// overPipe opens a driver as a child answers for it, over a pipe instead of a process.
func overPipe(open func() (Driver, error)) func() (Driver, error) {
	return func() (Driver, error) {
		near, far := net.Pipe()
		end := make(chan error, 1)
		go func() { end <- serve(far, open) }()
		return connect(near, func() error { return errors.Join(<-end, far.Close()) })
	}
}

// TestChild: a vector file and a surface sweep give through a child what they give without one, and a
// block that faults still costs itself alone.
func TestChild(t *testing.T) {
	name := writeVectors(t, vectorFile)
	for _, args := range [][]string{{"vectors", name}, {"sweep", "-only", "sust.b.a1d.b16", "surface"}, {"sweep", "-only", "cvt.f32.f16", "cvt"}} {
		for _, fault := range []string{"", "k0"} {
			direct, far := newFake(t, "sm_90"), newFake(t, "sm_90")
			direct.fault, far.fault = fault, fault
			code, want, _ := direct.oracle(text, args...)
			var out, errs strings.Builder
			if have := run(args, &out, &errs, overPipe(far.open), text); have != code || out.String() != want {
				t.Errorf("%v: code %d, want %d\nhave %s%s\nwant %s", args, have, code, out.String(), errs.String(), want)
			}
			if calls, want := strings.Join(far.calls, " "), strings.ReplaceAll(strings.Join(direct.calls, " "), "close ", ""); calls != strings.TrimSuffix(want, " close") {
				t.Errorf("%v: calls\nhave %s\nwant %s", args, calls, want)
			}
		}
	}
}

// TestChildErrors: a missing driver is told from other errors; so is a fault; and the end of a child
// is an error of the next call.
func TestChildErrors(t *testing.T) {
	_, err := overPipe(func() (Driver, error) { return nil, errNoDriver })()
	if !errors.Is(err, errNoDriver) {
		t.Errorf("no driver: %v", err)
	}
	if _, err := overPipe(func() (Driver, error) { return nil, errLost })(); err == nil || errors.Is(err, errNoDriver) {
		t.Errorf("a driver that does not open: %v", err)
	}
	d, err := overPipe(newFake(t, "sm_90").open)()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.NewArray(ptxvm.ArrayDesc{Size: []int{0}}); err == nil || isFault(err) {
		t.Errorf("an array without samples: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if _, err := d.Alloc(1); err == nil {
		t.Error("a child that has ended answers")
	}
}

// TestNoNewContext: where no further context is to be had, the blocks left are reported, and the
// program ends as it should.
func TestNoNewContext(t *testing.T) {
	f := newFake(t, "sm_90")
	f.fault = "k0"
	opened := 0
	once := func() (Driver, error) {
		if opened++; opened > 1 {
			return nil, errLost
		}
		return f, nil
	}
	var out, errs strings.Builder
	if code := run([]string{"vectors", writeVectors(t, vectorFile)}, &out, &errs, once, text); code != exitDiffer || !strings.Contains(out.String(), "2 blocks after it are not asked: "+errLost.Error()) {
		t.Errorf("code %d: %s%s", code, out.String(), errs.String())
	}
}

// TestMain lets the test's binary be a child: a process is what openChild starts.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == childVerb {
		none := func() (Driver, error) { return nil, fmt.Errorf("%w: of a child", errNoDriver) }
		if err := serve(duplex{os.Stdin, os.Stdout}, none); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// TestOpenChild: a process of its own is asked, and ends.
func TestOpenChild(t *testing.T) {
	if _, err := openChild(); !errors.Is(err, errNoDriver) || !strings.Contains(err.Error(), "of a child") {
		t.Errorf("have %v", err)
	}
}
