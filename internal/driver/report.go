package driver

// This file writes what went wrong, for programs that read it: as JSON, an object a line, or as a SARIF log.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"ptxvm.invalid/ptxvm/internal/sarif"
	"ptxvm.invalid/ptxvm/internal/vm"
	"ptxvm.invalid/ptxvm/report"
)

// reports is the file that PTXVM_REPORT names.
type reports struct {
	mu    sync.Mutex
	to    *os.File
	isLog bool // a SARIF log, which is written anew at each report
}

// openReports appends to a file: several processes of one program may write it.
func openReports(path string) (reports, error) {
	if path == "" {
		return reports{}, nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return reports{}, fmt.Errorf("PTXVM_REPORT: %w", err)
	}
	return reports{to: f, isLog: filepath.Ext(path) == ".sarif"}, nil
}

// reportLine is a line of the file (docs/howto/cuda-programs.md); the names are those of run --report.
type reportLine struct {
	Schema    int          `json:"schema"`
	Error     Code         `json:"error"` // CUDA's number; 0 for what hardware would not have noticed
	Message   string       `json:"message"`
	Fault     *vm.Fault    `json:"fault,omitempty"`
	Sanitizer []*vm.Report `json:"sanitizer,omitempty"`
}

// newReportLine is what an outcome is.
func newReportLine(code Code, text string, err error) *reportLine {
	line := &reportLine{Schema: 1, Error: code, Message: text}
	var found *vm.SanitizerError
	errors.As(err, &line.Fault)
	if errors.As(err, &found) {
		line.Sanitizer = found.Reports
	}
	return line
}

// reportOf is the same for why a launch is captured.
func (d *Driver) reportOf(err error) *reportLine {
	code, _ := codeOf(err)
	return newReportLine(code, d.detail(err), err)
}

// write appends what an outcome is.
func (r *reports) write(code Code, text string, err error) {
	if r.to == nil {
		return
	}
	line := newReportLine(code, text, err)
	r.mu.Lock()
	defer r.mu.Unlock()
	// A full disk must not end the program.
	if r.isLog {
		_ = r.merge(line)
		return
	}
	data, err := json.Marshal(line)
	if err != nil {
		return // every field is a number or a text
	}
	_, _ = r.to.Write(append(data, '\n'))
}

// merge adds what an outcome is to the log, in which other processes may have written.
func (r *reports) merge(line *reportLine) error {
	var faults []*vm.Fault
	if line.Fault != nil {
		faults = append(faults, line.Fault)
	}
	var b bytes.Buffer
	if err := report.WriteSARIF(&b, "", faults, line.Sanitizer); err != nil {
		return err
	}
	log, err := sarif.Read(&b)
	if err != nil {
		return err
	}
	log.Describe("exec", 0, "")
	unlock, err := lockFile(r.to)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := r.to.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if before, err := sarif.Read(r.to); err == nil { // else it is empty, or no log: the first report begins one
		log = sarif.Merge(before, log)
	}
	b.Reset()
	if err := log.Write(&b); err != nil {
		return err
	}
	if err := r.to.Truncate(0); err != nil {
		return err
	}
	_, err = r.to.Write(b.Bytes())
	return err
}
