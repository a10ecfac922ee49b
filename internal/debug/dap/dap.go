// Package dap serves a debug.Session to an editor by the Debug Adapter Protocol.
//
//	client ─ wire ─ server ─ table: request → handler ─ debug.Session
//	                  └ moving: the launch runs; requests that may be answered meanwhile are
//
// table.go is the list of requests; what they do stands in the files behind it. All handlers run on one goroutine, or, while the launch
// runs, on the launch's, which that goroutine waits for: a Session is never used by two at a time.
package dap

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/report"
)

// Arguments are those of a launch request.
type Arguments struct {
	Program     string    `json:"program"`     // a file of PTX, or the folder of a captured launch
	Args        flagList  `json:"args"`        // flags as run takes them
	Cwd         string    `json:"cwd"`         // what relative names are relative to; empty: as the server was started
	StopOnEntry bool      `json:"stopOnEntry"` // at the first instruction, or at Moment
	Seed        *uint64   `json:"seed"`        // of the schedule; nil: as Args say
	Moment      moment    `json:"moment"`      // where the session begins, as --at takes it
	Sanitize    checkList `json:"sanitize"`    // checks, as --sanitize takes them
	NoDebug     bool      `json:"noDebug"`     // run it, and stop nowhere
}

// moment is a number, or a text: "fault", "report:2".
type moment struct{ debug.Destination }

// UnmarshalJSON implements json.Unmarshaler.
func (m *moment) UnmarshalJSON(data []byte) (err error) {
	text := string(data)
	if text == "null" {
		return nil
	}
	if json.Unmarshal(data, &text) != nil {
		text = string(data)
	}
	if m.Destination, err = debug.ParseDestination(text); err != nil {
		return fmt.Errorf("moment %.40s: %w", data, err)
	}
	return nil
}

// flagList is a list of words. A text alone is one word.
type flagList []string

// UnmarshalJSON implements json.Unmarshaler.
func (l *flagList) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*l = flagList{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(l))
}

// checkList is a list of names with commas, or a list of them.
type checkList string

// UnmarshalJSON implements json.Unmarshaler.
func (l *checkList) UnmarshalJSON(data []byte) error {
	var list flagList
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*l = ""
	for _, name := range list {
		if *l != "" {
			*l += ","
		}
		*l += checkList(name)
	}
	return nil
}

// Program is what a launch request has opened.
type Program struct {
	Target   debug.Target
	Checks   []string                                 // sanitizers that look at the launch
	File     func(name string) (path string, ok bool) // where a file of the source is; nil: nowhere
	Line     func(report.Location) (string, bool)     // a line of it; nil: none is found
	ExitCode func(end error) int                      // of a launch that has ended so
}

// Opener makes the program of a launch request. The kernel prints to out, and what has to be said besides goes to notes.
type Opener func(a *Arguments, out, notes io.Writer) (*Program, error)

// Serve answers the requests of one client until it disconnects, or its messages end. The error is one of the connection.
func Serve(r io.Reader, w io.Writer, open Opener) error {
	s := newServer(w, open)
	go s.read(r)
	return errors.Join(s.loop(), s.close())
}
