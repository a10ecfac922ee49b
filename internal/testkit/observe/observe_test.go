// Package observe holds observed code to what it tells: vectors run under an observer that
// tampers with the memory inside and around the accesses it is told about.
package observe

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/sem/table"
	"ptxvm.invalid/ptxvm/internal/testkit/vec"
)

var full = flag.Bool("observe.full", false, "run every vector block, not a sample")

// sample is one in how many blocks a short run takes, besides the first two of every form.
const sample = 200

// elsewhere are the forms whose events no vector file shows, with the test that does.
var elsewhere = map[string]string{
	"cp.async.bulk":               "cmd/ptxvm/testdata/script/sanitizebulk.txtar",
	"cp.async.bulk.cluster":       "internal/testkit/async, by the conflicts of its record",
	"cp.reduce.async.bulk":        "internal/testkit/async, by the conflicts of its record",
	"st.async":                    "internal/testkit/async, by the conflicts of its record",
	"red.async":                   "internal/testkit/async, by the conflicts of its record",
	"mbarrier.inval":              "it reads the object only to see that it is one: TestMbarrierFaults of ptxtest/sched",
	"cp.async.bulk.tensor":        "TestTensorBoxes and TestTensorTiles in mode lazy, by the conflicts of its record",
	"cp.reduce.async.bulk.tensor": "TestTensorTiles in mode lazy, by the conflicts of its record",
	"tensormap.replace":           "TestTensorTiles, which reads each field that it writes",
	"tensormap.cp_fenceproxy":     "TestTensorTiles, which uses the map that it copies",
	"tcgen05.alloc":               "cmd/ptxvm/testdata/script/sanitizetensor.txtar reads the address that it stores",
}

// TestAccesses: the handlers touch the bytes that their events name, all of them and no others,
// and results stay what the vectors say.
func TestAccesses(t *testing.T) {
	seen, read := map[*isa.Entry]bool{}, map[*isa.Entry]bool{}
	r := vec.NewRunner()
	defer r.Close()
	list := blocks(t)
	t.Logf("%d blocks", len(list))
	for _, b := range list {
		p := &probe{kept: map[string]bool{}, seen: map[*isa.Entry]bool{}}
		for p.mode = range last {
			p.number = 0
			for _, err := range under(r, p).Block(b) {
				t.Error(err)
			}
		}
		for _, f := range p.fails[:min(len(p.fails), 3)] {
			t.Errorf("%s:%d: %s: %s", b.File, b.Line, b.Text, f)
		}
		for e := range p.seen {
			seen[e] = true
			polls := strings.Contains(b.Text, "bra ") // it would never see what it waits for
			read[e] = read[e] || !polls && lastByteMatters(r, b, e)
		}
	}
	for _, e := range isa.Table().Entries() {
		switch want, reads := touches(e); {
		case !want || elsewhere[e.Name] != "":
		case !seen[e]:
			t.Errorf("%s: no vector shows its access", e.Name)
		case reads && !read[e]:
			t.Errorf("%s: no vector sees the last byte of its access", e.Name)
		}
	}
}

// under makes the launches of a runner observed.
func under(r *vec.Runner, p *probe) *vec.Runner {
	r.Observer = p
	return r
}

// lastByteMatters reports whether the block fails if the last byte of what a form reads is wrong.
func lastByteMatters(r *vec.Runner, b *vec.Block, e *isa.Entry) bool {
	p := &probe{mode: last, only: func(have *isa.Entry) bool { return have == e }, seen: map[*isa.Entry]bool{}}
	return len(under(r, p).Block(b)) > 0
}

// blocks are the blocks with a statement that accesses memory: all, or a sample.
func blocks(t *testing.T) (list []*vec.Block) {
	files, err := filepath.Glob("../../sem/testdata/vec/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no vector files", err)
	}
	count := map[*isa.Entry]int{}
	for _, f := range files {
		all, err := vec.Parse(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range all {
			if b.Todo == "" && wanted(b, count) {
				list = append(list, b)
			}
		}
	}
	return list
}

// wanted reports whether a run takes a block, by the forms that access memory in it.
func wanted(b *vec.Block, count map[*isa.Entry]int) (take bool) {
	w, err := vec.Wrap(b)
	if err != nil {
		return false
	}
	for _, s := range w.Stmts {
		if s.Sel == nil {
			continue
		}
		e := s.Sel.Entry
		if any, _ := touches(e); any {
			count[e]++
			take = take || *full || count[e] <= 2 || count[e]%sample == 0
		}
	}
	return take
}

var known = map[*isa.Entry][2]bool{}

// touches tells from the ISA data whether an executed form accesses memory by address, and
// whether it reads.
func touches(e *isa.Entry) (any, reads bool) {
	if v, ok := known[e]; ok {
		return v[0], v[1]
	}
	defer func() { known[e] = [2]bool{any, reads} }()
	if s := table.Whole().Status(e).Status; s == sem.Todo || s == sem.Undocumented || !e.Effects.Has(isa.Reads|isa.Writes) {
		return false, false
	}
	sem.EachSample(e, 2, func(s *isa.Sample) {
		for i := range s.Sel.Roles {
			at := &s.Sel.Roles[i]
			any = any || at.Align > 0 && at.Space != isa.TensorSpace && at.Space != isa.TexSpace
		}
	})
	return any, e.Effects.Has(isa.Reads) && !e.Effects.Has(isa.Asynchronous) // whose results only polling sees
}
