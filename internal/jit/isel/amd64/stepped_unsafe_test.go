//go:build linux && amd64

package amd64_test

// This file holds what code counts of itself to a processor that executes it step by step.

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/isel/amd64"
	"ptxvm.invalid/ptxvm/internal/jit/native"
	"ptxvm.invalid/ptxvm/internal/jit/opt"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// toBeStepped names the process that executes code while another steps through it; its value is the target.
const toBeStepped = "PTXVM_TEST_STEPPED"

func init() {
	if name := os.Getenv(toBeStepped); name != "" { // on the process's first thread, which is the one that is traced
		if err := stepped(targetNamed(name)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

func targetNamed(name string) *amd64.Target {
	if name == amd64.AVX512.String() {
		return amd64.AVX512
	}
	return amd64.AVX2
}

// turning is a function with a loop of five turns round divisions, which go other ways from lane to lane.
func turning() *ssa.Func {
	t := newTrial(false)
	begin := t.body
	loop, end := t.NewBlock(3), t.Blocks[2]
	turn := t.NewParam(loop, ssa.W, true)
	begin.Jump(loop, t.Word(0))
	t.body = loop
	x, y := t.operand(ssa.X, 0), t.operand(ssa.X, 1)
	t.store("quotient", t.Bin(ssa.DivU, x, y))
	t.store("rest", t.Bin(ssa.RemU, y, t.Make(ssa.Zext, ssa.X, 0, t.Bin(ssa.Add, turn, t.Word(3)))))
	next := t.Bin(ssa.Add, turn, t.Word(1))
	loop.Cond = t.Cmp(ssa.LtU, next, t.Word(5))
	loop.Jump(loop, next)
	loop.Jump(end)
	opt.Place(t.Func)
	return t.Func
}

// codeOf compiles the function; both processes have the same code, but for what counts.
func codeOf(isa *amd64.Target, trace *amd64.Trace) (*native.Code, int, error) {
	image, err := amd64.Compile(turning(), isa, amd64.Options{Check: true, Trace: trace})
	if err != nil {
		return nil, 0, err
	}
	code, err := native.New(image)
	return code, len(image), err
}

// ready has the function's memory made; what it returns executes it.
func ready(code *native.Code) func() error {
	a := &arena{}
	a.fill(rand.New(rand.NewPCG(36, 4)), ssa.X)
	state := a.begin()
	return func() error { return native.CallOn(code.Addr(0), unsafe.Pointer(state), uint64(abi.ByCTA)) }
}

// mark stops the thread for the process that steps through it.
func mark() error {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_TGKILL, uintptr(os.Getpid()), uintptr(syscall.Gettid()), uintptr(syscall.SIGUSR1)); errno != 0 {
		return errno
	}
	return nil
}

// stepped executes the function between two marks and says where its code was.
func stepped(isa *amd64.Target) error {
	code, size, err := codeOf(isa, nil)
	if err != nil {
		return err
	}
	execute := ready(code)
	err = errors.Join(mark(), execute(), mark())
	fmt.Println(code.Addr(0), size)
	return err
}

// TestCounted: each piece of the code counts how often it is entered, and times its instructions these are the steps that a processor takes
// through code that does not count.
func TestCounted(t *testing.T) {
	for isa, has := range map[*amd64.Target]bool{amd64.AVX2: native.HasAVX2(), amd64.AVX512: native.HasAVX512()} {
		t.Run(isa.String(), func(t *testing.T) {
			if !has {
				t.Skip("not by this processor")
			}
			got, want := executed(t, isa), steps(t, isa)
			if got != want || want < 1000 {
				t.Errorf("counted are %d instructions, executed are %d", got, want)
			}
			t.Logf("%d instructions", got)
		})
	}
}

// executed is what the code says of itself.
func executed(t *testing.T, isa *amd64.Target) (n uint64) {
	var counters [4096]uint64
	used := 0
	trace := &amd64.Trace{Count: func() (uint64, string) {
		used++
		return uint64(uintptr(unsafe.Pointer(&counters[used-1]))), fmt.Sprint("counter ", used-1)
	}}
	code, _, err := codeOf(isa, trace)
	if err != nil {
		t.Fatal(err)
	}
	defer code.Free()
	if err := ready(code)(); err != nil {
		t.Fatal(err)
	}
	pieces := strings.Split(trace.Listing, "# counter ")[1:]
	if len(pieces) != used {
		t.Fatalf("%d pieces in the listing, %d counters", len(pieces), used)
	}
	for i, p := range pieces {
		_, p, _ = strings.Cut(p, "# behind the counter\n")
		p, _, _ = strings.Cut(p, "# constants\n")
		for line := range strings.Lines(p) {
			if strings.HasPrefix(line, "  ") {
				n += counters[i]
			}
		}
	}
	runtime.KeepAlive(&counters)
	return n
}

// steps executes the function in another process, instruction by instruction, and counts those of its code.
func steps(t *testing.T, isa *amd64.Target) (n uint64) {
	runtime.LockOSThread() // the one that traces
	defer runtime.UnlockOSThread()
	var out, errs bytes.Buffer
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), toBeStepped+"="+isa.String(), "GODEBUG=asyncpreemptoff=1", "GOGC=off")
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = &out, &errs, &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOSYS) {
		t.Skip("processes may not be traced here: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	places := trace(t, cmd.Process.Pid)
	cmd.Wait() // it has been waited for; this reads the pipes
	var from, size uint64
	if _, err := fmt.Sscan(out.String(), &from, &size); err != nil {
		t.Fatal(err, out.String(), errs.String())
	}
	for _, pc := range places {
		if pc-from < size {
			n++
		}
	}
	return n
}

// trace lets a process run to its end; places are where it stood at each step between its marks.
func trace(t *testing.T, pid int) (places []uint64) {
	marks := 0
	for {
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
			t.Fatal(err)
		}
		if status.Exited() || status.Signaled() {
			return places
		}
		resume, signal := syscall.PtraceCont, status.StopSignal()
		if signal == syscall.SIGUSR1 {
			marks++
		}
		if marks == 1 {
			resume = stepWith
		}
		if marks == 1 && signal == syscall.SIGTRAP { // what it is about to execute
			var regs syscall.PtraceRegs
			if err := syscall.PtraceGetRegs(pid, &regs); err != nil {
				t.Fatal(err)
			}
			places = append(places, regs.Rip)
		}
		if signal == syscall.SIGUSR1 || signal == syscall.SIGTRAP {
			signal = 0
		}
		if err := resume(pid, int(signal)); err != nil {
			t.Fatal(err)
		}
	}
}

// stepWith executes one instruction, and delivers a signal if there is one.
func stepWith(pid, signal int) error {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PTRACE, syscall.PTRACE_SINGLESTEP, uintptr(pid), 0, uintptr(signal), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
