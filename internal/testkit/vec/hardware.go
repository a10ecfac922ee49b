package vec

// What another machine needs to run the cases of a block: kernels as text, argument blocks as
// bytes, and the comparison of what came back.

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm"
)

// WrapFor is Wrap for one target, unless the block names its own.
func WrapFor(b *Block, target string) (*Wrapped, error) {
	own := *b
	if own.Arch == "" {
		own.Arch = target
	}
	w, err := Wrap(&own)
	if err != nil {
		return nil, err
	}
	return w, w.checkCases()
}

// Header is what stands in front of the kernels; blocks with equal headers can share a module.
func (w *Wrapped) Header() string {
	h := fmt.Sprintf(".version %v\n.target %v\n.address_size 64\n%s", w.Version, w.Target, w.Module)
	if strings.Contains(w.Text, "[C") || strings.Contains(w.Text, " C") {
		h += constants()
	}
	return h + w.textureDecls()
}

// Kernel prints the kernel in which lane i takes row i of the input, under a name.
func (w *Wrapped) Kernel(name string) string {
	var b strings.Builder
	k := masked
	k.entry = name
	p := printer{Wrapped: w, k: k, b: &b}
	p.kernel()
	return b.String()
}

// Multicast reports whether the block names multicast addresses, which one device does not have.
func (w *Wrapped) Multicast() bool {
	return slices.ContainsFunc(used(w.Stmts), func(p place) bool { return p.name == "M" || p.name == "MM" || strings.HasPrefix(p.name, "E") })
}

// Image is one surface of a lane.
type Image struct {
	ptxvm.ArrayDesc
	Used bool // the block names it; before each launch its samples are Pattern
}

// Images lists the surfaces that each lane has, nil if the block names none.
func (w *Wrapped) Images() (list []Image) {
	used := w.imagesUsed()
	for i := range used {
		list = append(list, Image{imageDesc(i), used[i]})
	}
	return list
}

// Memory is the memory of a launch: MemBytes of zeros, behind them the handles of each lane's
// surfaces in the order of Images, 0 for one that is not used.
func (l *Launch) Memory(handles [32][]uint64) []byte {
	data := make([]byte, l.MemBytes+32*laneBytes)
	for lane := range handles {
		for i, h := range handles[lane] {
			binary.LittleEndian.PutUint64(data[handlesAt+lane*laneBytes+8*i:], h)
		}
	}
	return data
}

// Launch is one launch of Kernel on a warp. The kernel's parameters are the addresses of In, of
// OutBytes of results and of Memory, then Mask, Params and Pattern by value.
type Launch struct {
	Cases    [32]*Case // by lane
	Mask     uint32
	In       []byte
	Params   []byte
	Pattern  []byte
	OutBytes int
	MemBytes int
}

// Launches lists the launches that run every case once: cases of lanes up to 32 at a time.
func (w *Wrapped) Launches() (list []*Launch) {
	var lanes []*Case
	for i := range w.Cases {
		if c := &w.Cases[i]; c.Warp {
			list = append(list, w.launchOf(c.Mask, []*Case{c}))
		} else {
			lanes = append(lanes, c)
		}
	}
	for from := 0; from < len(lanes); from += 32 {
		list = append(list, w.launchOf(0xffffffff, lanes[from:min(from+32, len(lanes))]))
	}
	return list
}

func (w *Wrapped) launchOf(mask uint32, cases []*Case) *Launch {
	l := &Launch{Mask: mask, Params: make([]byte, paramBytes), Pattern: make([]byte, laneBytes),
		OutBytes: 32 * len(w.out) * valueBytes, MemBytes: memBytes}
	for lane := range l.Cases {
		l.Cases[lane] = cases[lane%len(cases)]
		l.In = append(l.In, w.row(l.Cases[lane], lane)...)
	}
	copy(l.Params, l.In)
	for i := range l.Pattern {
		l.Pattern[i] = patternByte(i)
	}
	return l
}

// Difference is a result that is not what its row says.
type Difference struct {
	Case       *Case
	Lane       int
	Name       string // of the result
	Want, Have string
}

// Compare reads the results of a launch. It returns one difference a case at most.
func (w *Wrapped) Compare(l *Launch, out []byte) (list []Difference) {
	seen := map[*Case]bool{}
	got := values(out)
	for lane, c := range l.Cases {
		for i, r := range w.out {
			want := c.Out[i].Lane(lane)
			if l.Mask>>lane&1 == 0 {
				want = poisonOf(r)
			}
			if have := got[lane*len(w.out)+i]; !want.Ignored && !seen[c] && !same(have, want, r.bits()) {
				seen[c] = true
				list = append(list, Difference{c, lane, r.name, hex(want, r.bits()), hex(have, r.bits())})
			}
		}
	}
	return list
}
