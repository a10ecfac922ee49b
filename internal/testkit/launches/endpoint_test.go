package launches_test

import (
	"errors"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

// putToAll stores 16 bytes to all copies of an endpoint.
const putToAll = `.version 9.4
.target sm_100a
.address_size 64
.visible .entry put(.param .u32 le)
{
	.reg .b64 o; .reg .b32 e, v; .reg .pred p;
	.shared .align 16 .b32 s[4]; .shared .align 8 .b64 bar;
	mov.u32 v, %tid.x; setp.ne.u32 p, v, 0;
	@p exit;
	ld.param.u32 e, [le];
	mov.u64 o, 0; mov.u32 v, 7;
	mbarrier.init.layout::v1.shared.b64 [bar], 1;
	st.shared.v4.u32 [s], {v, v, v, v};
	fence.proxy.async;
	fabric.try_put.async.multimem.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.relaxed.sys.b128 [e, o], [s], 16, [bar];
	fabric.submit;
	mbarrier.arrive.expect_tx.shared.b64 _, [bar], 1;
WAIT:
	mbarrier.try_wait.parity.shared.b64 p, [bar], 0;
	@!p bra WAIT;
	ret;
}
`

// TestEndpointMembers: a multicast endpoint serves the devices that have one of its copies, and no other.
func TestEndpointMembers(t *testing.T) {
	devices, err := ptxvm.NewDevices(3, &ptxvm.DeviceConfig{Memory: 1 << 20, Arch: "sm_100a"})
	if err != nil {
		t.Fatal(err)
	}
	module, err := ptxvm.Compile("put.ptx", []byte(putToAll), nil)
	if err != nil {
		t.Fatal(err)
	}
	var copies []ptxvm.Buffer
	for _, d := range devices {
		defer d.Close()
		b, err := ptxvm.Upload(d, make([]uint32, 4))
		if err != nil {
			t.Fatal(err)
		}
		copies = append(copies, b)
	}
	e, err := devices[0].NewMulticastEndpoint(copies[0], copies[2])
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range devices {
		var fault *ptxvm.Fault
		_, err := launchOn(d, module, "put", e.ID())
		if member := i != 1; member && err != nil {
			t.Errorf("device %d: %v", i, err)
		} else if !member && (!errors.As(err, &fault) || fault.Code != diag.BadHandle || !strings.Contains(fault.Msg, "multicast endpoint 1, of which the device is no member")) {
			t.Errorf("device %d: %v", i, err)
		}
	}
	for i, b := range copies {
		have := make([]uint32, 4)
		if err := ptxvm.Download(b, have); err != nil || (have[3] == 7) != (i != 1) {
			t.Errorf("copy %d: %v, %v", i, have, err)
		}
	}
}

// TestUnsubmitted: a thread that ends with an operation that it has not submitted is a fault in both engines.
func TestUnsubmitted(t *testing.T) {
	src := strings.Replace(putToAll, "\t@p exit;\n", "", 1) // all lanes: in code for whole warps
	src = src[:strings.Index(src, "\tfabric.submit")] + "\tret;\n}\n"
	module, err := ptxvm.Compile("put.ptx", []byte(src), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []ptxvm.Engine{ptxvm.Interp, ptxvm.JIT} {
		d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Memory: 1 << 20, Arch: "sm_100a", Engine: e})
		if err != nil {
			t.Skip(err)
		}
		defer d.Close()
		b, err := ptxvm.Upload(d, make([]uint32, 4))
		if err != nil {
			t.Fatal(err)
		}
		to, err := d.NewMulticastEndpoint(b)
		if err != nil {
			t.Fatal(err)
		}
		var fault *ptxvm.Fault
		if _, err := launchOn(d, module, "put", to.ID()); !errors.As(err, &fault) || fault.Code != diag.BadHandle || !strings.Contains(fault.Msg, "without fabric.submit") {
			t.Errorf("%v: %v", e, err)
		}
	}
}

// TestFabricSource: what a fabric operation reads of shared memory it reads through the async proxy (9.4: 9.7.11.5), so that
// stores before it need a fence of that proxy; one of the fabric's is none.
func TestFabricSource(t *testing.T) {
	for fence, wants := range map[string]bool{
		"fence.proxy.async;": false, "fence.proxy.async.shared::cta;": false, "": true, "fence.proxy.fabric::generic.alias.release.sys;": true,
	} {
		text := strings.Replace(putToAll, "fence.proxy.async;", fence, 1)
		module, err := ptxvm.Compile("put.ptx", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, cfg := range []ptxvm.DeviceConfig{{Async: ptxvm.AsyncLazy}, {Sanitize: ptxvm.SanitizeAsync}} {
			cfg.Memory, cfg.Arch = 1<<20, "sm_100a"
			d := rig.Device(t, cfg)
			b, err := ptxvm.Upload(d, make([]uint32, 4))
			if err != nil {
				t.Fatal(err)
			}
			to, err := d.NewMulticastEndpoint(b)
			if err != nil {
				t.Fatal(err)
			}
			_, err = launchOn(d, module, "put", to.ID())
			var found *ptxvm.SanitizerError
			if wants != errors.As(err, &found) || !wants && err != nil {
				t.Errorf("%q, %v: %v", fence, cfg.Async, err)
			}
			if wants && (found.Reports[0].Kind != "proxy-fence" || found.Reports[0].Here.PTX.Line != rig.Line(text, "fabric.try_put") || found.Reports[0].Other.PTX.Line != rig.Line(text, "st.shared")) {
				t.Errorf("%q, %v: %v", fence, cfg.Async, found)
			}
		}
	}
}
