package driver

// This file captures a launch in a folder (PTXVM_CAPTURE): one that is named, else the first that faults or is reported,
// else the first. Which that will be is not known beforehand: so the first is written at once, and of each that comes
// behind it memory is held as long as it runs.

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	folder "ptxvm.invalid/ptxvm/internal/capture"
	"ptxvm.invalid/ptxvm/internal/kernelname"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// Capture says which launch is captured, and where.
type Capture struct {
	Dir    string                       // a folder that does not exist or is empty; "": none is captured
	Kernel func(kernelname.Kernel) bool // nil: each
	Number uint64                       // of the launch among those of such kernels, from 1; 0: see above
}

// ParseLaunch reads which launch is meant: [KERNEL][:N].
func ParseLaunch(text string) (c Capture, err error) {
	name := text
	if i := strings.LastIndexByte(text, ':'); i >= 0 && !strings.HasSuffix(text[:i], ":") && !strings.Contains(text[i+1:], "=") {
		if digits := text[i+1:]; digits == "" || strings.Trim(digits, "0123456789") == "" {
			name = text[:i]
			if c.Number, err = strconv.ParseUint(digits, 10, 64); digits != "" && (err != nil || c.Number == 0) {
				return c, fmt.Errorf("want [KERNEL][:N], the N-th launch of a kernel from 1 on")
			}
		}
	}
	c.Kernel, err = kernelFilter(name)
	return c, err
}

// CheckCapture says why a launch cannot be captured in a folder.
func CheckCapture(dir string) error { return folder.Vacant(dir) }

// CapturedLaunch is the options file of the launch in a folder, which ptxvm run takes.
func CapturedLaunch(dir string) string { return filepath.Join(dir, folder.LaunchFile) }

// turn is the place of a launch among others.
type turn struct {
	name   string // of the kernel, as --capture takes it
	number uint64 // among the launches of kernels of that name, from 1
	match  uint64 // among the launches that are meant to be captured; 0: it is none
}

// turns count launches.
type turns struct {
	mu      sync.Mutex
	of      map[string]uint64
	matched uint64
}

// turnOf gives a launch of a kernel its place.
func (d *Driver) turnOf(f *function) turn {
	by := &d.cfg.Capture
	means := by.Dir != "" && (by.Kernel == nil || by.Kernel(f.kernel()))
	d.turns.mu.Lock()
	defer d.turns.mu.Unlock()
	if d.turns.of == nil {
		d.turns.of = map[string]uint64{}
	}
	d.turns.of[f.name]++
	t := turn{name: f.name, number: d.turns.of[f.name]}
	if means {
		d.turns.matched++
		t.match = d.turns.matched
	}
	return t
}

// kernel is what the function is found by.
func (f *function) kernel() kernelname.Kernel {
	return kernelname.Kernel{Symbol: f.info.Name, Demangled: f.info.Demangled}
}

// word is what a name consists of that shells take as it is.
var word = regexp.MustCompile(`^\w+$`)

// shortName is the shortest name that means a kernel: its own, else its symbol.
func shortName(k kernelname.Kernel) string {
	if base := k.Base(); word.MatchString(base) {
		return base
	}
	return k.Symbol
}

// keeper is what has been captured.
type keeper struct {
	told atomic.Bool // what has become of it has been said

	mu    sync.Mutex
	kept  string // which launch is in the folder: "saxpy:3"; "": none
	final bool   // no other launch takes its place
	lost  error  // why one is not there, the first
	rooms [][]byte
	held  uint64 // bytes
}

// before is what is kept of a launch that is about to run.
type before struct {
	turn
	now     *vm.Snapshot // what it begins with
	begun   uint64       // so much work had begun when its memory was read,
	alone   bool         // and none of it but the launch was still going on
	written bool         // it is in the folder already
	room    []byte       // else, its memory
	lost    error        // else: why not
}

// remember keeps a launch, if it may be the one that is wanted; else nil.
func (d *Driver) remember(w *kernelWork, t turn) *before {
	by, k := &d.cfg.Capture, &d.keeper
	if t.match == 0 || by.Number != 0 && by.Number != t.match {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.final {
		return nil
	}
	b := &before{turn: t}
	s, err := vm.TakeSnapshot(w.on.kernel, w.shape, w.params)
	if err == nil {
		s.Beside(d.running.others(w))
		s.Owner, b.now = d.ownerOf, s
		b.begun = d.begun.Load()
		b.alone = d.doing.Load() == 1
		if by.Number != 0 || t.match == 1 {
			err = s.Write(by.Dir)
			b.written = err == nil
		} else {
			err = k.hold(b)
		}
	}
	if err != nil {
		b.lost = fmt.Errorf("the launch %v is not captured: %w", t, err)
		k.lost = cmp.Or(k.lost, b.lost)
		return b
	}
	if b.written {
		k.kept, k.final = t.String(), by.Number != 0
	}
	return b
}

// String is the launch as --capture takes it.
func (t turn) String() string { return t.name + ":" + strconv.FormatUint(t.number, 10) }

// hold keeps the memory of a launch.
func (k *keeper) hold(b *before) (err error) {
	if n := len(k.rooms); n != 0 {
		b.room, k.rooms = k.rooms[n-1], k.rooms[:n-1]
	}
	b.room, err = b.now.Hold(b.room, k.held)
	if err != nil {
		k.rooms = append(k.rooms, b.room)
		b.room = nil
		return err
	}
	k.held += uint64(len(b.room))
	return nil
}

// settle ends what was kept of a launch, which has ended with an error, or none: it returns what there is to say of its capture
// behind a report.
func (d *Driver) settle(t turn, b *before, err error) (text string) {
	if b != nil {
		defer d.keeper.drop(b)
	}
	by := &d.cfg.Capture
	switch {
	case !counted(err):
		if b != nil {
			d.keeper.mu.Lock()
			defer d.keeper.mu.Unlock()
			d.leftBy(b, err)
		}
		return ""
	case b != nil:
		return d.keep(b, err)
	case by.Dir == "" || t.match == 0 || by.Number != 0:
		return fmt.Sprintf("\n  capture: ptxvm exec --capture %v DIR PROGRAM…", t)
	}
	return "" // another one has been captured
}

// keep has the folder hold a launch that is over, and why; the text is settle's.
func (d *Driver) keep(b *before, reason error) (text string) {
	k, dir := &d.keeper, d.cfg.Capture.Dir
	k.mu.Lock()
	defer k.mu.Unlock()
	var err error
	switch {
	case b.written && k.kept == b.String():
	case k.final:
		return ""
	case b.lost != nil:
		err = b.lost
	default:
		err = d.replace(b)
	}
	if err == nil {
		k.kept, k.final = b.String(), true
		d.leftBy(b, reason)
		var report []byte
		if report, err = json.Marshal(d.reportOf(reason)); err == nil {
			err = folder.Report(dir, append(report, '\n'))
		}
	}
	k.told.Store(true)
	if err != nil {
		return fmt.Sprintf("\n  capture: %v", err)
	}
	return "\n  capture: ptxvm run @" + CapturedLaunch(dir) + d.looking(reason) + d.debugged(dir, reason)
}

// looking are the flags by which a replay reports again what a launch was captured for.
func (d *Driver) looking(reason error) string {
	if errors.As(reason, new(*vm.SanitizerError)) && d.cfg.Sanitize != "" {
		return " --sanitize " + d.cfg.Sanitize
	}
	return ""
}

// debugged says how a debugger goes to what a launch was captured for.
func (d *Driver) debugged(dir string, reason error) string {
	switch {
	case errors.As(reason, new(*vm.SanitizerError)):
		return "\n  debug:   ptxvm debug " + dir + d.looking(reason) + " --at report"
	case errors.As(reason, new(*vm.Fault)), errors.As(reason, new(*vm.DeadlockError)):
		return "\n  debug:   ptxvm debug " + dir + " --at fault"
	}
	return ""
}

// leftBy notes in the folder what a launch that is over has left, if it ran to its end and no other work of a stream, kernel or copy,
// went on beside it. The keeper is locked.
func (d *Driver) leftBy(b *before, err error) {
	_, sticky := codeOf(err)
	still := func() bool { return b.alone && d.begun.Load() == b.begun }
	if d.keeper.kept != b.String() || err != nil && (sticky || !counted(err)) || !still() {
		return
	}
	if err := b.now.WriteAfter(d.cfg.Capture.Dir, still); err != nil {
		d.say(err.Error())
	}
}

// replace puts a launch that is held into the folder, in the place of the one that is there.
func (d *Driver) replace(b *before) error {
	dir := d.cfg.Capture.Dir
	if d.keeper.kept == "" {
		return b.now.Write(dir)
	}
	next := filepath.Clean(dir) + ".next"
	if err := b.now.Write(next); err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(dir), os.Rename(next, dir))
}

// drop gives the room of a launch to the next.
func (k *keeper) drop(b *before) {
	if b.room == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.held -= uint64(len(b.room))
	k.rooms = append(k.rooms, b.room)
}

// tellCaptured says at the end of the process what has been captured, unless that was said with a report; nothing is an outcome
// that a program must not end with success after.
func (d *Driver) tellCaptured() {
	by, k := &d.cfg.Capture, &d.keeper
	if by.Dir == "" || k.told.Swap(true) {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	d.turns.mu.Lock()
	defer d.turns.mu.Unlock()
	if k.kept != "" {
		d.warn("the launch %s is captured: ptxvm run @%s", k.kept, CapturedLaunch(by.Dir))
		return
	}
	if _, err := os.Stat(CapturedLaunch(by.Dir)); err == nil && k.lost == nil {
		return // by another process of the program
	}
	d.found.Add(1)
	switch {
	case k.lost != nil:
		d.say(k.lost.Error())
	case d.turns.matched == 0:
		d.warn("nothing is captured in %s: no kernel that --capture means was launched", by.Dir)
	default:
		d.warn("nothing is captured in %s: launch %d of the kernels that --capture means never came, the last one was %d", by.Dir, by.Number, d.turns.matched)
	}
}

// ownerOf says who made an allocation.
func (d *Driver) ownerOf(addr uint64) string {
	if d.host.Origin == nil {
		return ""
	}
	from, ok := d.host.Origin(addr)
	if !ok {
		return ""
	}
	return from.String()
}
