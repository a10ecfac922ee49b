package sem

// How statements are ordered with others, and which memory they mean: what their handlers and those who tell observers of them
// (package observe) both go by, from the effect clauses of the ISA data.

import (
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine/model"
)

// StartsAsync reports whether a statement begins an asynchronous operation.
func StartsAsync(sel *isa.Sel) bool {
	return sel.Entry.Effects.Has(isa.Asynchronous)
}

// Fences reports whether a statement orders registers with products.
func Fences(sel *isa.Sel) bool { return sel.ID() == isa.WgmmaFence }

var orders = map[isa.Mod]model.Order{
	isa.M_relaxed: model.Relaxed, isa.M_acquire: model.AcquireOrder, isa.M_release: model.ReleaseOrder,
	isa.M_acq_rel: model.AcqRel, isa.M_sc: model.SeqCst,
}

var scopes = map[isa.Mod]model.Scope{
	isa.M_cta: model.CTAScope, isa.M_cluster: model.ClusterScope, isa.M_gpu: model.GPUScope, isa.M_gl: model.GPUScope,
	isa.M_sys: model.SysScope,
}

// ScopeOf is the scope that a modifier names.
func ScopeOf(m isa.Mod) model.Scope { return scopes[m] }

// AccessOrder is the strength and scope of the access to memory that a statement makes; false if it makes none.
func AccessOrder(sel *isa.Sel) (model.Order, model.Scope, bool) {
	if e := &sel.Entry.Effects; !e.Has(isa.Reads) && !e.Has(isa.Writes) && !e.Has(isa.Asynchronous) {
		return model.Weak, model.NoScope, false
	}
	order, scope := OrderOf(sel)
	return order, scope, true
}

// OrderOf is the strength of an access and its scope, where an operation on an mbarrier that names no scope
// has that of the cluster. By the manual it has that of the CTA (9.7.13.15.13, .16), but libraries signal other CTAs so
// (CUTLASS: mbarrier.arrive.shared::cluster.b64, then try_wait of the owner), and devices order what follows.
func OrderOf(sel *isa.Sel) (model.Order, model.Scope) {
	order, scope := namedOrder(sel)
	if scope == model.CTAScope && sel.Get(isa.C_scope) == 0 && signals(sel.Entry.ID) {
		scope = model.ClusterScope
	}
	return order, scope
}

// namedOrder is the strength of an access and its scope: as the effects say, else as the modifiers do.
// Volatile accesses are relaxed at system scope (8.4); the end of an mbarrier is as its other operations.
func namedOrder(sel *isa.Sel) (model.Order, model.Scope) {
	if sel.Entry.Effects.Has(isa.Syncs) {
		return SyncOf(sel)
	}
	if sel.Has(isa.M_volatile) {
		return model.Relaxed, model.SysScope
	}
	if sel.Entry.ID == isa.MbarrierInval { // ends an object that others have worked on: libcu++ lets a lane do it for its warp
		return model.Relaxed, model.ClusterScope
	}
	order := orders[sel.Default(isa.C_sem)]
	if order == model.Weak {
		return order, model.NoScope
	}
	return order, scopes[sel.Default(isa.C_scope)]
}

// SyncOf is the strength and scope that the effects name. Where the strength is a fixed modifier
// of the form, it is not repeated there.
func SyncOf(sel *isa.Sel) (order model.Order, scope model.Scope) {
	sync := &sel.Entry.Effects.Sync
	if order = orders[sync.Strength.Of(sel)]; order == model.Weak {
		order = FixedOrder(sel)
	}
	if sync.Warp {
		return order, model.WarpScope
	}
	return order, scopes[sync.Scope.Of(sel)]
}

func FixedOrder(sel *isa.Sel) model.Order {
	for _, m := range sel.Mods() {
		if v, ok := orders[m]; ok {
			return v
		}
	}
	return model.Weak
}

// signals reports whether an operation signals through an mbarrier, or waits for that.
func signals(id isa.ID) bool {
	switch id {
	case isa.MbarrierExpectTx, isa.MbarrierCompleteTx, isa.MbarrierArrive, isa.MbarrierArriveDrop, isa.MbarrierTestWait, isa.MbarrierTryWait:
		return true
	}
	return false
}

// Multicasts reports whether the address of a form is that of a multicast range.
func Multicasts(id isa.ID) bool {
	switch id {
	case isa.MultimemSt, isa.MultimemRed, isa.MultimemLdReduce, isa.MultimemStAsync, isa.MultimemRedAsync,
		isa.MultimemCpAsyncBulk, isa.MultimemCpReduceAsyncBulk:
		return true
	}
	return false
}
