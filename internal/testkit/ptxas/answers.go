package ptxas

// This file remembers what the assembler said, so that a long comparison that is run again after
// a repair asks only about what is new. $PTXVM_PTXAS_ANSWERS names the file that keeps it.

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// answer is a line of the file: a report, and the hash of what has been asked.
type answer struct {
	Key            string
	Accepted, Died bool
	Stderr         string
}

var answers struct {
	sync.Mutex
	known map[string]answer // nil: none are kept
	file  *os.File
}

var openAnswers = sync.OnceValue(func() error {
	name := os.Getenv("PTXVM_PTXAS_ANSWERS")
	if name == "" {
		return nil
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	answers.known, answers.file = map[string]answer{}, file
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var a answer
		if json.Unmarshal(lines.Bytes(), &a) == nil { // not the rest of a line that was cut off
			answers.known[a.Key] = a
		}
	}
	return lines.Err()
})

// remembered returns the report that was kept, nil if there is none, and the key to keep one under.
func remembered(path, text string, t isa.Target) (*Report, string, error) {
	if err := openAnswers(); err != nil {
		return nil, "", err
	}
	key := fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%q %v %s", path, t, text)))
	answers.Lock()
	defer answers.Unlock()
	a, ok := answers.known[key]
	if !ok {
		return nil, key, nil
	}
	r := report(a.Accepted, a.Stderr)
	r.Died = a.Died
	return r, key, nil
}

// remember keeps a report.
func remember(key string, r *Report) error {
	answers.Lock()
	defer answers.Unlock()
	if answers.known == nil {
		return nil
	}
	a := answer{Key: key, Accepted: r.Accepted, Died: r.Died, Stderr: r.Stderr}
	answers.known[key] = a
	line, err := json.Marshal(a)
	if err != nil {
		return err
	}
	_, err = answers.file.Write(append(line, '\n'))
	return err
}
