package main

// The kernel of one product: a CTA is a case.

import (
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// kernel prints a module whose kernel "product" reads [case][register][lane] from its first
// parameter and writes d alike to its second.
func (p *product) kernel(t isa.Target) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "\t"+format+"\n", args...) }
	fmt.Fprintf(&b, ".version %v\n.target %v\n.address_size 64\n.visible .entry product(.param .u64 in, .param .u64 out)\n{\n", isa.Latest, t)
	line(".reg .pred %%p; .reg .b32 %%case, %%lane, %%w, %%e; .reg .b64 %%in, %%out, %%desc;")
	line(".reg .b%d %%d<8>, %%a<8>, %%b<8>, %%c<8>;", p.width)
	line("ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%case, %%ctaid.x; mov.u32 %%lane, %%tid.x;")
	size := p.width / 8
	at := func(pointer string, words int) {
		line("mad.lo.u32 %%w, %%case, %d, %%lane; mad.wide.u32 %%%s, %%w, %d, %%%s;", words*p.lanes, pointer, size, pointer)
	}
	at("in", p.words())
	place := 0
	load := func(name string, n int) {
		for i := range n {
			line("ld.global.b%d %%%s%d, [%%in+%d];", p.width, name, i, place*p.lanes*size)
			place++
		}
	}
	load("a", p.a)
	load("b", p.b)
	load("c", p.c)
	if p.e {
		line("ld.global.b32 %%e, [%%in+%d];", place*p.lanes*size)
	}
	if p.lanes == 128 {
		p.warpgroup(line)
	} else {
		p.warp(line)
	}
	at("out", p.d)
	for i := range p.d {
		line("st.global.b%d [%%out+%d], %%d%d;", p.width, i*p.lanes*size, i)
	}
	line("ret;\n}")
	return b.String()
}

// warp is the statement of a warp.
func (p *product) warp(line func(string, ...any)) {
	list := func(name string, n int) string { return "{" + numbered("%"+name, n) + "}" }
	end := ""
	if p.e {
		end = fmt.Sprintf(", %%e, %d", p.selector)
	}
	line("%s %s, %s, %s, %s%s;", p.op, list("d", p.d), list("a", p.a), list("b", p.b), list("c", p.c), end)
}

// warpgroup is the statement of a warpgroup. Its B is eight columns of 32 bytes, in two core
// matrices of eight rows of 16 bytes, without a swizzle (9.7.15.5.1).
func (p *product) warpgroup(line func(string, ...any)) {
	line(".shared .align 128 .b8 tile[256];")
	line("mov.u32 %%w, tile; mad.lo.u32 %%w, %%lane, 4, %%w; setp.lt.u32 %%p, %%lane, 64; @%%p st.shared.b32 [%%w], %%b0;")
	line("fence.proxy.async; bar.sync 0;")
	line("mov.u32 %%w, tile; shr.u32 %%w, %%w, 4; cvt.u64.u32 %%desc, %%w; or.b64 %%desc, %%desc, %#x;", 128>>4<<16|uint64(256>>4)<<32)
	for i := range p.c {
		line("mov.b32 %%d%d, %%c%d;", i, i)
	}
	line("setp.eq.u32 %%p, 0, 0; wgmma.fence.sync.aligned;")
	line("%s {%s}, {%s}, %%desc, %%p%s;", p.op, numbered("%d", p.d), numbered("%a", p.a), strings.Join([]string{"", ", 1", ", 1, 1", ", 1, 1, 0"}[p.scales:p.scales+1], ""))
	line("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;")
}
