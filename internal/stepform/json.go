package stepform

import (
	"encoding/json"
	"io"

	"ptxvm.invalid/ptxvm"
)

// stepReport is a step as JSON; the names are part of the contract (docs/json.md).
type stepReport struct {
	Schema int              `json:"schema"`
	Kernel string           `json:"kernel"`
	CTA    [3]uint32        `json:"cta"`
	Warp   int              `json:"warp"`
	Lanes  uint32           `json:"lanes"`
	Active uint32           `json:"active"`
	PTX    ptxvm.Location   `json:"ptx"`
	Source []ptxvm.Location `json:"source"`
	Calls  int              `json:"calls"`
	Text   string           `json:"text"`
	Reads  []valueReport    `json:"reads"`
	Writes []valueReport    `json:"writes"`
	Then   string           `json:"then"`
	Next   int              `json:"next"` // a line; 0 unless then is jumps
	Moment *uint64          `json:"moment,omitempty"`
}

// valueReport is an operand.
type valueReport struct {
	Name   string   `json:"name"`
	Type   string   `json:"type"`
	Values []string `json:"values"` // of the lanes, in ascending order
}

// WriteJSON writes a step as a line of JSON.
func WriteJSON(w io.Writer, s *ptxvm.Step) error {
	return json.NewEncoder(w).Encode(stepReport{Schema: 1, Kernel: s.Kernel, CTA: s.CTA.Array(), Warp: s.Warp, Lanes: s.Lanes,
		Active: s.Active, PTX: s.PTX, Source: append([]ptxvm.Location{}, s.Source...), Calls: s.Calls, Text: s.Text,
		Reads: valueReports(s.Reads, s.Lanes), Writes: valueReports(s.Writes, s.Lanes), Then: s.Then, Next: s.Next, Moment: s.Moment})
}

func valueReports(list []ptxvm.Traced, lanes uint32) []valueReport {
	out := []valueReport{}
	for i := range list {
		v := valueReport{Name: list[i].Name, Type: list[i].Type}
		for _, lane := range laneNumbers(lanes) {
			v.Values = append(v.Values, list[i].Value(lane))
		}
		out = append(out, v)
	}
	return out
}
