package observe

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// recorder writes down what the statements between two lines `// {` and `// }` tell.
type recorder struct{ lines []string }

var names = map[events.Kind]string{
	events.Touch: "touch", events.Release: "release", events.Acquire: "acquire", events.ProxyFence: "proxy fence",
	events.BarrierMet: "barrier met", events.BarrierDone: "barrier done", events.WarpMet: "warp met", events.PhaseSeen: "phase seen", events.ClusterDone: "cluster done", events.CTABegin: "begin", events.CTAEnd: "end",
	events.LanesEnd: "lanes end",
}

var orders = []string{"weak", "relaxed", "acquire", "release", "acq_rel", "sc"}

var scopes = []string{"", " warp", " cta", " cluster", " gpu", " sys"}

func (r *recorder) Observe(e *machine.Event) {
	text := names[e.What]
	switch {
	case e.On == nil, e.What == events.WarpMet:
	case e.What == events.Touch:
		text = fmt.Sprintf("%v %v of %d, %s%s", e.Space, e.Kind, e.Size, orders[e.Order], scopes[e.Scope])
		if e.Async {
			text = fmt.Sprintf("%v %v of %d, async, %v proxy", e.Space, e.Kind, e.Extent.To-e.Extent.From, e.Proxy)
		}
	case e.What == events.ProxyFence:
		text += fmt.Sprintf(" %v, %v %s%s", e.Proxy, e.Space, orders[e.Order], scopes[e.Scope])
	default:
		text += fmt.Sprintf(" %s%s", orders[e.Order], scopes[e.Scope])
	}
	if e.On != nil {
		sel := decode.FuncOf(e.Func).Insts[e.PC].Sel
		text = fmt.Sprintf("%s: %s, lanes %x", sel.Text(), text, e.Lanes)
	}
	r.lines = append(r.lines, text)
}

// TestEvents: what one statement each tells, in order.
func TestEvents(t *testing.T) {
	for _, c := range []struct{ stmt, want string }{
		{"ld.global.b32 %r1, [%rd1];", "global load of 4, weak"},
		{"ld.volatile.global.v2.b32 {%r1, %r2}, [%rd1];", "global load of 8, relaxed sys"},
		{"ld.acquire.gpu.global.b64 %rd2, [%rd1];", "global load of 8, acquire gpu"},
		{"ld.relaxed.sys.b16 %h1, [%rd1];", "generic load of 2, relaxed sys"},
		{"st.release.cluster.global.b32 [%rd1], %r1;", "global store of 4, release cluster"},
		{"st.shared.v4.b32 [cell], {%r1, %r1, %r1, %r1};", "shared store of 16, weak"},
		{"st.local.b8 [own], %h1;", "local store of 1, weak"},
		{"ld.param.u64 %rd2, [p];", "param load of 8, weak"},
		{"ld.const.b32 %r1, [fixed];", "const load of 4, weak"},
		{"@%p1 atom.global.add.u32 %r1, [%rd1], 1;", "global atomic of 4, relaxed gpu; lanes ffff"},
		{"red.release.cta.shared.max.s32 [cell], 1;", "shared atomic of 4, release cta"},
		{"atom.acq_rel.sys.global.cas.b64 %rd2, [%rd1], 1, 2;", "global atomic of 8, acq_rel sys"},
		{"atom.global.v4.f32.add {%f1, %f2, %f3, %f4}, [%rd1], {%f1, %f2, %f3, %f4};", "global atomic of 16, relaxed gpu"},
		{"prefetch.global.L1 [%rd1];", ""},
		{"@!%p2 ld.global.b32 %r1, [%rd1];", ""},
		{"membar.gl;", "release sc gpu|acquire sc gpu"},
		{"fence.acq_rel.cta;", "release acq_rel cta|acquire acq_rel cta"},
		{"fence.acquire.cluster;", "acquire acquire cluster"},
		{"fence.release.gpu;", "release release gpu"},
		{"fence.mbarrier_init.release.cluster;", "release release cluster"},
		{"fence.proxy.async;", "proxy fence async, generic weak"},
		{"fence.proxy.async.shared::cta;", "proxy fence async, shared weak"},
		{"fence.proxy.async.global;", "proxy fence async, global weak"},
		{"fence.proxy.alias;", "proxy fence alias, generic weak"},
		{"fence.proxy.tensormap::generic.release.gpu;", "proxy fence tensormap, generic release gpu"},
		{"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;", "proxy fence async, shared acquire"},
		{"bar.sync 0;", "release acq_rel cta|!barrier met|!barrier done|acquire acq_rel cta"},
		{"bar.arrive 1, 64;", "release release cta|!barrier met"},
		{"barrier.red.popc.u32 %r1, 0, %p1;", "release acq_rel cta|!barrier met|!barrier done|acquire acq_rel cta"},
		{"bar.warp.sync -1;", "release acq_rel warp|warp met|acquire acq_rel warp"},
		{"mbarrier.init.shared.b64 [bar], 32;", "shared store of 8, weak"},
		{"mbarrier.init.shared.b64 [bar], 33; mbarrier.arrive.shared.b64 %rd2, [bar];", "shared store of 8, weak|shared atomic of 8, release cluster"},
		{"mbarrier.init.shared.b64 [bar], 1; mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;",
			"shared store of 8, weak|shared load of 8, acquire cluster"},
		{"mbarrier.init.shared.b64 [bar], 1; mbarrier.try_wait.parity.shared.b64 %p1, [bar], 1;",
			"shared store of 8, weak|shared load of 8, acquire cluster|phase seen acquire cluster|acquire acquire cta"},
		{"@%p3 cp.async.ca.shared.global [cell], [%rd1], 8;", "global load of 8, async, generic proxy; lanes 1|shared store of 8, async, generic proxy; lanes 1"},
	} {
		if got := told(t, c.stmt); got != c.want {
			t.Errorf("%s\n\ttells %q,\n\twant  %q", c.stmt, got, c.want)
		}
	}
}

// told runs a statement in one warp and lists its events; lanes are named where not all take part.
func told(t *testing.T, stmt string) string {
	t.Helper()
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Arch: "sm_90", Workers: 1, Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	m, err := ptxvm.Compile("events.ptx", []byte(strings.Replace(frame, "STMT", stmt, 1)), nil)
	if err != nil {
		t.Fatal(stmt, err)
	}
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(stmt, err)
	}
	k, err := p.Kernel("")
	if err != nil {
		t.Fatal(err)
	}
	buf, err := d.Alloc(256)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{}
	shape := ptxvm.Launch{Block: ptxvm.Dim3{X: 32}}
	vm.TuningOf(d).Observer = r
	if _, err := k.Launch(context.Background(), shape, buf); err != nil {
		t.Fatal(stmt, err)
	}
	return between(r.lines)
}

// frame marks the statement by two loads of 1 byte that nothing else makes.
const frame = `.version 9.0
.target sm_90
.address_size 64
.const .align 8 .b32 fixed = 7;
.visible .entry k(.param .u64 p)
{
	.reg .b16 %h<4>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %rd<4>; .reg .pred %p<4>;
	.shared .align 16 .b8 cell[16];
	.shared .align 8 .b64 bar;
	.local .align 8 .b8 own[8];
	ld.param.u64 %rd1, [p];
	mov.u32 %r7, %laneid;
	setp.lt.u32 %p1, %r7, 16;
	setp.lt.u32 %p2, %r7, 32;
	setp.lt.u32 %p3, %r7, 1;
	ld.const.b8 %h3, [fixed];
	STMT
	ld.const.b8 %h3, [fixed];
	ret;
}`

// between cuts out what lies between the marks, without the statement's name.
func between(lines []string) string {
	mark := func(s string) bool { return strings.HasPrefix(s, "ld.const.b8") }
	from := slices.IndexFunc(lines, mark)
	lines = lines[from+1:]
	lines = lines[:slices.IndexFunc(lines, mark)]
	for i, s := range lines {
		_, text, by := strings.Cut(s, ": ")
		if !by {
			lines[i] = "!" + s
			continue
		}
		text, lanes, _ := strings.Cut(text, ", lanes ")
		if lines[i] = text; lanes != "ffffffff" {
			lines[i] += "; lanes " + lanes
		}
	}
	return strings.Join(lines, "|")
}
