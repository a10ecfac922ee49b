package report

// This file writes faults and reports as JSON. The names are part of the contract (docs/json.md).

import (
	"encoding/json"
	"fmt"
)

type faultJSON struct {
	Code    string     `json:"code"`
	ID      string     `json:"id"`
	Message string     `json:"message"`
	Kernel  string     `json:"kernel"`
	CTA     [3]uint32  `json:"cta"`
	Thread  [3]uint32  `json:"thread"`
	Lanes   uint32     `json:"lanes"`
	Address string     `json:"address"` // hexadecimal; empty if the fault is about no memory
	Size    int        `json:"size"`
	Near    string     `json:"near"`
	Times   int        `json:"times,omitempty"`
	Moment  *uint64    `json:"moment,omitempty"`
	PTX     Location   `json:"ptx"`
	Source  []Location `json:"source"`
	Calls   []Location `json:"calls"`
}

type reportJSON struct {
	Check     string        `json:"check"`
	Code      string        `json:"code"`
	Kind      string        `json:"kind"`
	Severity  string        `json:"severity"`
	ID        string        `json:"id"`
	Message   string        `json:"message"`
	Kernel    string        `json:"kernel"`
	Here      involvedJSON  `json:"here"`
	Other     *involvedJSON `json:"other"`
	Object    string        `json:"object"`
	Extent    *extentJSON   `json:"extent"`
	Missing   string        `json:"missing"`
	Fix       string        `json:"fix"`
	Times     int           `json:"times"`
	Pairs     int           `json:"pairs"`
	Between   string        `json:"between"`
	Instances []string      `json:"instances"`
	Replay    string        `json:"replay"`
	Moment    *uint64       `json:"moment,omitempty"`
	Detail    string        `json:"detail"`
}

type involvedJSON struct {
	Role   string     `json:"role"`
	CTA    [3]uint32  `json:"cta"`
	Thread [3]uint32  `json:"thread"`
	Lanes  uint32     `json:"lanes"`
	Proxy  string     `json:"proxy"`
	Order  string     `json:"order"`
	Scope  string     `json:"scope"`
	Text   string     `json:"text"`
	PTX    Location   `json:"ptx"`
	Source []Location `json:"source"`
	Calls  []Location `json:"calls"`
}

type extentJSON struct {
	Space string `json:"space"`
	Rank  int    `json:"rank"`
	From  uint64 `json:"from"`
	To    uint64 `json:"to"`
	Row   int    `json:"row"`
	Last  int    `json:"last"`
}

// MarshalJSON writes the fault as `run --report` does.
func (f *Fault) MarshalJSON() ([]byte, error) {
	out := faultJSON{
		Code: f.Code.String(), ID: f.ID, Message: f.Msg, Kernel: f.Kernel, CTA: f.CTA.Array(), Thread: f.Thread.Array(), Lanes: f.Lanes,
		Size: f.Size, Times: f.Times, Moment: f.Moment, PTX: f.PTX, Source: append([]Location{}, f.Source...), Calls: append([]Location{}, f.Calls...),
	}
	if f.Size != 0 {
		out.Address = fmt.Sprintf("%#x", f.Address)
	}
	if f.Near != nil {
		out.Near = f.Near.String()
	}
	return json.Marshal(out)
}

// MarshalJSON writes the report as `run --report` does.
func (r *Report) MarshalJSON() ([]byte, error) {
	out := reportJSON{
		Check: r.Check, Code: r.Code.String(), Kind: r.Kind, Severity: r.Severity.String(), ID: r.ID, Message: r.Msg, Kernel: r.Kernel,
		Here: r.Here.json(), Object: r.Object, Extent: (*extentJSON)(r.Extent), Missing: r.Missing, Fix: r.Fix, Times: r.Times, Pairs: max(r.Pairs, 1), Between: r.Between,
		Instances: append([]string{}, r.Instances...), Replay: r.Replay, Moment: r.Moment, Detail: r.Detail(),
	}
	if r.Other != nil {
		other := r.Other.json()
		out.Other = &other
	}
	return json.Marshal(out)
}

func (v *Involved) json() involvedJSON {
	return involvedJSON{
		Role: v.Role, CTA: v.CTA.Array(), Thread: v.Thread.Array(), Lanes: v.Lanes,
		Proxy: v.Proxy, Order: v.Order, Scope: v.Scope, Text: v.Text, PTX: v.PTX, Source: append([]Location{}, v.Source...), Calls: append([]Location{}, v.Calls...),
	}
}
