package isainfo

// This file tells more about faults and reports of sanitizers than the catalogue of diagnostics does, and what CUDA's error codes are here.

import (
	_ "embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/cudaabi"
)

//go:embed faults.txt
var faultsText string

// advice is what faults.txt has about a code.
type advice struct {
	causes []string
	try    string
}

var advices = sync.OnceValue(func() map[diag.Code]advice {
	list, code := map[diag.Code]advice{}, diag.Code(0)
	for line := range strings.Lines(faultsText) {
		line = strings.TrimSpace(line)
		a := list[code]
		switch {
		case line == "" || line[0] == '#':
			continue
		case strings.HasPrefix(line, "- "):
			a.causes = append(a.causes, line[2:])
		case strings.HasPrefix(line, "Try: "):
			a.try = line[len("Try: "):]
		default:
			c, ok := diag.ParseCode(line)
			if !ok {
				panic("BUG: faults.txt: " + line)
			}
			code, a = c, advice{}
		}
		list[code] = a
	}
	return list
})

// explainFault adds causes, what to try and, for a fault, CUDA's name.
func explainFault(b *strings.Builder, c diag.Code) {
	a, ok := advices()[c]
	if !ok {
		return
	}
	explainList(b, "Usual causes", a.causes)
	fmt.Fprintf(b, "\nTry: %s\n", a.try)
	for _, e := range cudaabi.Errors() {
		if c/1000 == 7 && e.Code == cudaabi.FaultCode(c) {
			fmt.Fprintf(b, "\nIn CUDA: %s\n", errorWords(e))
		}
	}
}

// errorWords is a code with its names and text.
func errorWords(e cudaabi.Error) string {
	var names []string
	for _, name := range []string{e.Runtime, e.Driver} {
		if name != "" {
			names = append(names, name)
		}
	}
	return fmt.Sprintf("error %d, %s: %s", e.Code, strings.Join(names, ", "), e.Text)
}

// errorNumber finds the number in "700", "error 700" and "CUDA error 700"; what follows a colon is its text.
var errorNumber = regexp.MustCompile(`(?i)^(?:cuda )?(?:error[ :=]*)?(\d{1,5})(?:[^\d].*)?$`)

// explainError describes an error code of CUDA, by number, name or text: the faults that it stands for.
func explainError(b *strings.Builder, name string) {
	number := int64(-1)
	if m := errorNumber.FindStringSubmatch(name); m != nil {
		number, _ = strconv.ParseInt(m[1], 10, 32) // five digits
	}
	_, text, _ := strings.Cut(name, ": ")
	for _, e := range cudaabi.Errors() {
		switch {
		case int64(e.Code) == number, name == e.Runtime, name == e.Driver:
		case strings.EqualFold(name, e.Text), text != "" && strings.EqualFold(text, e.Text), saysPart(e.Text, name):
		default:
			continue
		}
		words := errorWords(e)
		fmt.Fprintf(b, "CUDA %s\n", words)
		explainList(b, "What ptxvm says instead, with thread, line and buffer (`ptxvm explain CODE`)", faultsOf(e.Code))
		return
	}
}

// saysPart reports whether words are some of a text in a row: "illegal memory access".
func saysPart(text, words string) bool {
	return strings.Contains(strings.TrimSpace(words), " ") && strings.Contains(" "+strings.ToLower(text)+" ", " "+strings.ToLower(strings.TrimSpace(words))+" ")
}

// faultsOf lists the faults that a code of CUDA stands for.
func faultsOf(code int32) (lines []string) {
	catalog := diag.Catalog()
	for i := range catalog {
		if e := &catalog[i]; e.Code/1000 == 7 && cudaabi.FaultCode(e.Code) == code {
			lines = append(lines, fmt.Sprintf("%v  %s", e.Code, e.Title))
		}
	}
	return lines
}
