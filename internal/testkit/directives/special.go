package directives

// This file makes cases about special registers: read as they should be, at their gates and a
// step below, and used in ways that some other operand allows.

import (
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// OfSpecial lists the cases of one special register.
func OfSpecial(s isa.Special) []*Case {
	info := s.Info()
	var cases []*Case
	v, t := openGate(info.Since)
	base := Case{About: s.String(), Section: info.Section, Version: v, Target: t}
	add := func(change, head, body string) *Case {
		c := base
		c.Change, c.Body = change, specialModule(info, head, body)
		cases = append(cases, &c)
		return &c
	}
	read := s.String()
	if info.Lanes > 1 {
		read += ".x"
	}
	typ := info.Type.String()
	move := fmt.Sprintf(".reg %s r; mov%s r, %s;", typ, typ, read)
	add("", "", move)
	for _, at := range gateSteps(info.Since) {
		c := add("", "", move)
		if c.Version, c.Target = at.v, at.t; !info.Since.Passes(at.v, at.t) {
			c.Change = "in another version or target"
		}
	}
	for _, other := range strings.Fields(".pred .b16 .b32 .b64 .u16 .u32 .u64 .s32 .f32 .f64 .b128") {
		if other != typ {
			add("read as another type", "", fmt.Sprintf(".reg %s r; mov%s r, %s;", other, other, read))
			add("into another register", "", fmt.Sprintf(".reg %s r; mov%s r, %s;", other, typ, read))
		}
	}
	for _, part := range strings.Fields(".x .y .z .w .r .q .lo") {
		add("another component", "", fmt.Sprintf(".reg %s r; mov%s r, %s%s;", typ, typ, s, part))
	}
	for _, use := range []string{ // ptxas dies of a load at a special register whose result is read: the load stands alone
		".reg .v4 .u32 v; mov.v4.u32 v, $;", ".reg .u32 a, b, c, d; mov.v4.u32 {a, b, c, d}, $;", ".reg .u32 r; add.u32 r, $x, 1;", ".reg .u32 r; cvt.u32.u32 r, $x;",
		".reg .u64 r; cvt.u64.u32 r, $x;", ".reg .f32 r; cvt.rn.f32.u32 r, $x;", ".reg .u32 r; mov.u32 $x, r;", ".reg .pred p; setp.eq.u32 p, $x, 0;", "@$x ret;",
		".reg .u32 r; ld.shared.u32 r, [$x];", ".reg .u32 r; st.shared.u32 [r], $x;", ".reg .u32 r; mov.u32 r, -$x;", ".reg .u32 r; mov.u32 r, $x+1;", ".reg .u32 $;", ".reg .pred p; mov.pred p, !$;",
	} {
		text := strings.ReplaceAll(strings.ReplaceAll(use, "$x", read), "$", s.String())
		add("another use", "", text)
	}
	add("in capitals", "", strings.ReplaceAll(move, read, strings.ToUpper(read)))
	add("without %", "", strings.ReplaceAll(move, read, read[1:]))
	if info.Needs != "" {
		c := base
		c.Change, c.Body = "without "+info.Needs, ".entry k() { "+move+" ret; }"
		cases = append(cases, &c)
		c.Change, c.Body = "in a function", ".func f() { "+move+" ret; }"
		cases = append(cases, &c)
	}
	return unique(cases)
}

// specialModule is a kernel with a body, and with the directive that the register needs.
func specialModule(info *isa.SpecialInfo, head, body string) string {
	if d := isa.LookupDirective(info.Needs); d != nil {
		head += " " + d.Name + " 2048"
	}
	return ".entry k()" + head + " { " + body + " ret; }"
}

// step is a version and a target.
type step struct {
	v isa.Version
	t isa.Target
}

// openGate is the newest version and a usual target that a gate lets pass.
func openGate(g isa.Gate) (isa.Version, isa.Target) {
	for _, name := range []string{"sm_90", "sm_100a", "sm_107a"} {
		if t := isa.MustTarget(name); g.Passes(isa.Latest, t) {
			return isa.Latest, t
		}
	}
	return isa.Latest, isa.MustTarget("sm_121a")
}

// gateSteps are, for each alternative of a gate, the version and target where it opens, and the
// versions and targets a step below.
func gateSteps(g isa.Gate) (out []step) {
	for _, alt := range g {
		t := isa.MustTarget("sm_10")
		if len(alt.Targets) > 0 {
			t = alt.Targets[0]
		}
		v := max(alt.Version, isa.TargetSince(t))
		out = append(out, step{v, t})
		if b := versionBefore(alt.Version); b > 0 {
			out = append(out, step{b, newestIn(b, t)}, step{b, isa.MustTarget("sm_10")})
		}
		if b, ok := targetBefore(t); ok {
			out = append(out, step{isa.Latest, b}, step{max(v, isa.TargetSince(b)), b})
		}
	}
	return out
}

func versionBefore(v isa.Version) isa.Version {
	for v--; v > 0 && !v.Known(); v-- {
	}
	return v
}

// newestIn is the target itself where the version knows it, else the newest plain one that it knows.
func newestIn(v isa.Version, t isa.Target) isa.Target {
	if isa.TargetSince(t) <= v {
		return t
	}
	newest := isa.MustTarget("sm_10")
	for _, u := range isa.Targets() {
		if u.Suffix == 0 && isa.TargetSince(u) <= v && newest.Before(u) {
			newest = u
		}
	}
	return newest
}

// targetBefore is the newest plain target below another.
func targetBefore(t isa.Target) (before isa.Target, ok bool) {
	for _, u := range isa.Targets() {
		if u.Suffix == 0 && u.Before(t) && (!ok || before.Before(u)) {
			before, ok = u, true
		}
	}
	return before, ok
}
