package dap

import (
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

// TestImages shows a texture, its texels, and what lies behind a handle.
func TestImages(t *testing.T) {
	c := newClient(t, programs)
	c.enter("texture.ptx", nil)
	frame := c.frame(c.thread).Id
	const text = "texture line: 1d 8 u32x1 at 0x700000000000, coordinates in texels, address mode wrap, filter point"
	v := ask[*godap.EvaluateResponse](c, "evaluate", args{"expression": "line", "frameId": frame, "context": "watch"}).Body
	c.says(v.Result, text)
	c.says(v.Type, "texture")
	list := c.list(c.scope(c.thread, "Images"), nil)
	if len(list) == 0 || !strings.Contains(list[0].Value, text) || !strings.HasPrefix(list[0].EvaluateName, "texture(0x") {
		t.Fatalf("%+v", list)
	}
	c.says(ask[*godap.EvaluateResponse](c, "evaluate", args{"expression": list[0].EvaluateName, "frameId": frame}).Body.Result, text)
	texel := ask[*godap.EvaluateResponse](c, "evaluate", args{"expression": "line[2]", "frameId": frame}).Body
	c.says(texel.Result, "{0}")
	if channels := c.list(texel.VariablesReference, nil); len(channels) != 1 || channels[0].EvaluateName != "line[2][0]" {
		t.Errorf("%+v", channels)
	}
	for range 3 {
		c.moves("next", args{"granularity": "instruction"})
	}
	c.says(c.command("print line[2]"), "{7}")
	c.says(c.refused("evaluate", args{"expression": "line[8]", "frameId": c.frame(c.thread).Id}), "x is 8, and the texture has 0 to 7 there")
}

// TestDestinations begins where a fault is, at a report, and at a moment by a text.
func TestDestinations(t *testing.T) {
	for _, test := range []struct {
		program string
		more    args
		says    string
	}{
		{"fault.ptx", args{"moment": "fault"}, "fault.ptx:8"},
		{"race.ptx", args{"moment": "report:1", "sanitize": "race"}, "race.ptx:"},
		{"k.ptx", args{"moment": "5"}, "Moment 5"},
		{"k.ptx", args{"moment": 5}, "Moment 5"},
	} {
		c := newClient(t, programs)
		c.begin(test.program, test.more)
		c.configured()
		have := c.command("info moment") + c.command("frame")
		c.says(have, test.says)
	}
	c := newClient(t, programs)
	ask[*godap.InitializeResponse](c, "initialize", args{"adapterID": "ptxvm"})
	for _, wrong := range []any{"report:0", "later", -1, 1.5, true} {
		c.says(c.refused("launch", args{"program": "testdata/k.ptx", "moment": wrong}), "want a moment, such as 1200, fault, or report:2")
	}
}
