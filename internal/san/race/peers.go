package race

// This file looks at accesses to the shared memory of other CTAs of a cluster (P8003): it is there only from when the CTA has
// begun until it exits, and what has happened so far is luck. So the order that the kernel makes must say both.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/san/found"
)

// visitKey is an instruction of a warp that has touched another CTA's shared memory.
type visitKey struct {
	warp warpID
	site uint32
}

// visit is its last access.
type visit struct {
	lanes    uint32
	at       moment
	arrivals uint32 // of its first lane at the barrier of the cluster, before it
}

// visit notes an access of lanes to the shared memory of another CTA, and reports one to a CTA of which nothing tells that
// it has begun: a wait at the barrier of the cluster, or anything that a thread of it has released.
func (o *Observer) visit(a *access, owner *cta) {
	l := &a.warp.lanes[a.lane]
	if !l.waited && !l.knows.meets(owner.index) {
		o.peer(a.warp.id, a.number, a.lanes, "access to the shared memory of CTA rank %d of the cluster, which may not have begun: nothing orders the two", owner.index)
	}
	if owner.visits == nil {
		owner.visits = map[visitKey]visit{}
	}
	key := visitKey{a.warp.id, a.number}
	v := owner.visits[key]
	if v.at != a.warp.now || v.arrivals != l.arrivals {
		v = visit{at: a.warp.now, arrivals: l.arrivals}
	}
	v.lanes |= a.lanes
	owner.visits[key] = v
}

// left reports the accesses to a CTA that has exited of which no thread of it knew, and behind which no barrier of the cluster
// has completed: it might have exited before them.
func (o *Observer) left(index uint64) {
	c := o.detector.cta(index)
	if c == nil || len(c.visits) == 0 {
		return
	}
	done := o.detector.group(index).done
	for key, v := range c.visits {
		if v.arrivals >= done && !c.knew(key.warp, v) {
			o.peer(key.warp, key.site, v.lanes, "access to the shared memory of CTA rank %d of the cluster, which may have exited: it does not wait for the access", c.index)
		}
	}
}

// knew reports whether some thread of a CTA knows of an access.
func (c *cta) knew(w warpID, v visit) bool {
	for i := range c.warps {
		for j := range c.warps[i].lanes {
			if c.warps[i].lanes[j].knows.covers(w, v.lanes, v.at) {
				return true
			}
		}
	}
	return false
}

// peer reports an access to the shared memory of a CTA.
func (o *Observer) peer(w warpID, number, lanes uint32, format string, owner uint32) {
	site := o.detector.sites.at(number)
	text := fmt.Sprintf(format, o.launch.RankInCluster(uint64(owner)))
	o.reporter.Report(&found.Report{Kind: found.PeerMisuse, Text: text, Then: o.launch.PlaceOf(uint64(w.cta()), w.index(), lanes, site.Func, site.PC)})
}

// meets reports whether anything of a CTA is known.
func (k *knowledge) meets(cta uint32) bool {
	for k != nil && k.shift != leaf {
		k = k.below[k.index(cta)]
	}
	if k == nil {
		return false
	}
	for i := range k.warps {
		m := &k.warps[i]
		if m.all != 0 {
			return true
		}
		for lane := range 32 {
			if m.lane != nil && m.lane[lane] != 0 {
				return true
			}
		}
	}
	return false
}
