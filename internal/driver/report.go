package driver

// This file writes what went wrong as JSON, an object a line, for programs that read it.

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"

	"ptxvm.invalid/ptxvm"
)

// reports is the file that PTXVM_REPORT names.
type reports struct {
	mu sync.Mutex
	to *os.File
}

// openReports appends to a file: several processes of one program may write it.
func openReports(path string) (reports, error) {
	if path == "" {
		return reports{}, nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return reports{}, fmt.Errorf("PTXVM_REPORT: %w", err)
	}
	return reports{to: f}, nil
}

// reportLine is a line of the file (docs/howto/cuda-programs.md); the names are those of run --report.
type reportLine struct {
	Schema    int             `json:"schema"`
	Error     Code            `json:"error"` // CUDA's number; 0 for what hardware would not have noticed
	Message   string          `json:"message"`
	Fault     *ptxvm.Fault    `json:"fault,omitempty"`
	Sanitizer []*ptxvm.Report `json:"sanitizer,omitempty"`
}

// write appends what an outcome is.
func (r *reports) write(code Code, text string, err error) {
	if r.to == nil {
		return
	}
	line := reportLine{Schema: 1, Error: code, Message: text}
	var found *ptxvm.SanitizerError
	errors.As(err, &line.Fault)
	if errors.As(err, &found) {
		line.Sanitizer = found.Reports
	}
	data, err := json.Marshal(line)
	if err != nil {
		return // every field is a number or a text
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_, _ = r.to.Write(append(data, '\n')) // a full disk must not end the program
}
