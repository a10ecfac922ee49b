package ptxvm

// This file chooses between ptxas and the manual where their verdicts differ.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// Judge says whose verdict a module gets where ptxas and the manual differ.
type Judge uint8

// The judges.
const (
	JudgePtxas  = Judge(isa.Ptxas)  // what ptxas 13.5 accepts and rejects
	JudgeManual = Judge(isa.Manual) // what the text, tables and examples of the manual allow
)

// ParseJudge knows ptxas and manual.
func ParseJudge(name string) (Judge, error) {
	j, err := isa.ParseJudge(name)
	if err != nil {
		return 0, fmt.Errorf("ptxvm: %w", err)
	}
	return Judge(j), nil
}

// String is the judge's name.
func (j Judge) String() string { return isa.Judge(j).String() }

// valid tells whether there is such a judge.
func (j Judge) valid() bool { return j <= JudgeManual }
