package report_test

import (
	"encoding/json"
	"testing"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/report"
)

// TestFaultJSON: an access at address 0 has an address, a fault about no memory has none, and no list is null.
func TestFaultJSON(t *testing.T) {
	for _, test := range []struct {
		fault report.Fault
		want  string
	}{
		{
			report.Fault{Code: diag.OutOfBounds, ID: "i", Msg: "m", Kernel: "k", Thread: report.Index3{X: 1}, Lanes: 2, Size: 4, Times: 3,
				PTX: report.Location{File: "f", Line: 5}, Calls: []report.Location{{File: "g", Line: 6}}},
			`{"code":"P7001","id":"i","message":"m","kernel":"k","cta":[0,0,0],"thread":[1,0,0],"lanes":2,"address":"0x0","size":4,"near":"","times":3,` +
				`"ptx":{"file":"f","line":5,"col":0,"function":""},"source":[],"calls":[{"file":"g","line":6,"col":0,"function":""}]}`,
		},
		{
			report.Fault{Code: diag.Trap},
			`{"code":"` + diag.Trap.String() + `","id":"","message":"","kernel":"","cta":[0,0,0],"thread":[0,0,0],"lanes":0,"address":"","size":0,"near":"",` +
				`"ptx":{"file":"","line":0,"col":0,"function":""},"source":[],"calls":[]}`,
		},
	} {
		if got, err := json.Marshal(&test.fault); err != nil || string(got) != test.want {
			t.Errorf("%v\ngot  %s\nwant %s", err, got, test.want)
		}
	}
}
