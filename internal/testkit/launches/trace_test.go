package launches_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

var traceAll = flag.Bool("trace.all", false, "TestCorpusTraced traces every kernel of the corpus")

// traced are the kernels that TestCorpusTraced runs without -trace.all: calls, indirect and recursive
// ones, divergence, locks, shuffles, barriers, shared memory of peers, carries, printf.
var traced = []string{"fntable", "quicksort", "virtual", "warplock", "reduce", "scan", "dsmem", "saxpy", "printf", "transpose", "haxpy"}

// TestCorpusTraced: a trace changes no result, and each register that an instruction reads holds what the
// last one that wrote it has left there, in every lane of the first CTA.
func TestCorpusTraced(t *testing.T) {
	for _, c := range corpus.Cases() {
		if !*traceAll && !slices.Contains(traced, c.Name) {
			continue
		}
		arch := c.Archs[len(c.Archs)-1]
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata", filepath.FromSlash(c.Path(arch)))
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			replay := replay{t: t, lanes: map[laneAt]map[string]string{}}
			runTraced(t, ptxvm.DeviceConfig{}, path, src, arch, c.Make(corpus.Target{Arch: arch}), &ptxvm.Trace{Each: replay.step})
			if replay.checked == 0 && c.Name != "empty" {
				t.Error("the trace shows no register that was written before")
			}
		})
	}
}

// replay follows the registers of each lane.
type replay struct {
	t       *testing.T
	lanes   map[laneAt]map[string]string
	checked int
}

// laneAt is a lane in a frame.
type laneAt struct{ warp, lane, calls int }

func (r *replay) step(s *ptxvm.Step) {
	for lane := range 32 {
		if s.Lanes>>lane&1 != 0 {
			r.lane(s, lane)
		}
	}
}

func (r *replay) lane(s *ptxvm.Step, lane int) {
	at := laneAt{s.Warp, lane, s.Calls}
	regs := r.lanes[at]
	if regs == nil {
		regs = map[string]string{}
		r.lanes[at] = regs
	}
	for i := range s.Reads {
		v := &s.Reads[i]
		want, known := regs[v.Name]
		if known {
			r.checked++
		}
		if have := fmt.Sprintf("%x", v.Bits(lane)); known && have != want && !r.t.Failed() {
			r.t.Errorf("%v warp %d lane %d: %s reads %s = %s, last written %s", s.PTX, s.Warp, lane, s.Text, v.Name, have, want)
		}
	}
	for i := range s.Writes {
		regs[s.Writes[i].Name] = fmt.Sprintf("%x", s.Writes[i].Bits(lane))
	}
	switch {
	case strings.Contains(s.Text, "call"): // a new frame; results come with the return
		delete(r.lanes, laneAt{s.Warp, lane, s.Calls + 1})
		if strings.Contains(s.Text, "(%") {
			delete(r.lanes, at)
		}
	case s.Then == "exits":
		delete(r.lanes, at)
	}
}
