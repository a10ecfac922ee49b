package amd64

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// This file makes bytes of what only targets with masks have.

// operands is how many uses an instruction has beside its write mask.
func (c *code) operands() int {
	if c.Inst.Op.(*op).masked {
		return len(c.Uses) - 1
	}
	return len(c.Uses)
}

// underMask gives the next instruction the last use as its write mask.
func (c *code) underMask(o *op) {
	if k := c.uk(len(c.Uses) - 1); o.zero {
		c.Zeroed(k)
	} else {
		c.Masked(k)
	}
}

// writeK encodes an operation of masks, or into one.
func (c *code) writeK(o *op, w x86.Width) {
	switch n := c.operands(); {
	case o.form == formKI:
		c.KKI(o.code, c.k(0), c.uk(0), uint8(o.imm))
	case o.form == formK && n == 1:
		c.KK(o.code, c.k(0), c.uk(0))
	case o.form == formK:
		c.KKK(o.code, c.k(0), c.uk(0), c.uk(1))
	case o.form == formLoadKVI:
		c.KVMI(o.code, w, c.k(0), c.uv(0), c.mem(&o.mem), uint8(o.imm))
	case o.form == formKV && c.inMemory(1):
		c.KVM(o.code, w, c.k(0), c.uv(0), c.at(1))
	case o.form == formKV:
		c.KVV(o.code, w, c.k(0), c.uv(0), c.uv(1))
	case c.inMemory(1):
		c.KVMI(o.code, w, c.k(0), c.uv(0), c.at(1), uint8(o.imm))
	default:
		c.KVVI(o.code, w, c.k(0), c.uv(0), c.uv(1), uint8(o.imm))
	}
}

// writeTied encodes an operation that changes its first operand.
func (c *code) writeTied(code x86.Op, w x86.Width) {
	d, a := c.v(0), c.uv(0)
	if d != a && (d == c.uv(1) || !c.inMemory(2) && d == c.uv(2)) {
		d = c.e.isa.temp()
	}
	c.moveVector(d, a)
	if c.inMemory(2) {
		c.VVM(code, w, d, c.uv(1), c.at(2))
	} else {
		c.VVV(code, w, d, c.uv(1), c.uv(2))
	}
	c.moveVector(c.v(0), d)
}

// zero and ones make constants without memory.
func (t *Target) zero(x *x86.Asm, v x86.Vec) {
	if v < 16 {
		x.VVV(x86.VPXOR, x86.W128, v, v, v)
		return
	}
	x.VVV(x86.VPXORD, x86.W128, v, v, v)
}

func (t *Target) ones(x *x86.Asm, v x86.Vec) {
	if t.Has(Masks) {
		x.VVVI(x86.VPTERNLOGD, t.width, v, v, v, 0xff)
		return
	}
	x.VVV(x86.VPCMPEQD, t.width, v, v, v)
}
