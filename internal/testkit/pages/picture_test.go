package pages

// This file draws which lanes of a warp take part in each instruction, from a trace.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// drawn is a picture of a page: a kernel that the page shows, run by one warp of so many lanes.
var drawn = []struct {
	page, kernel string
	args         []string
	lanes        int
	picture      string
}{
	{"docs/explanation/divergence.md", "rounds.ptx", []string{"--block", "8", "--arg", "out:u32x8"}, 8, "docs/explanation/divergence.svg"},
}

// TestPictures: the pictures are what the kernels of their pages do; -update draws them.
func TestPictures(t *testing.T) {
	for _, d := range drawn {
		text, err := os.ReadFile(filepath.Join(root(t), d.page))
		if err != nil {
			t.Fatal(err)
		}
		kernel := filepath.Join(t.TempDir(), d.kernel)
		for _, step := range Parse(d.page, string(text)).Steps {
			if step.File == d.kernel {
				err = os.WriteFile(kernel, []byte(step.Text), 0o666)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		have := drawLanes(traced(t, kernel, d.args), d.lanes)
		path := filepath.Join(root(t), d.picture)
		if *update {
			if err := os.WriteFile(path, have, 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if want, err := os.ReadFile(path); err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is not what %s does (%v); go test ./internal/testkit/pages -run TestPictures -update draws it", d.picture, d.kernel, err)
		}
	}
}

// step is a line of a trace (docs/json.md).
type step struct {
	Lanes uint32
	Text  string
}

// traced runs a kernel and returns what its first CTA executes.
func traced(t *testing.T, kernel string, args []string) (steps []step) {
	to := filepath.Join(t.TempDir(), "steps.jsonl")
	args = append([]string{"run", kernel, "--trace", "0", "--trace-to", to}, args...)
	if out, err := exec.Command(filepath.Join(bin, "ptxvm"), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var s step
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, s)
	}
	return steps
}

// Sizes in pixels.
const (
	cell  = 18 // of a lane's square
	texts = 250
	above = 26 // the numbers of the lanes
)

// drawLanes is an SVG: a row an instruction, a square a lane.
func drawLanes(steps []step, lanes int) []byte {
	var b bytes.Buffer
	width, height := texts+lanes*cell+10, above+len(steps)*cell+10
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"monospace\" font-size=\"13\">\n", width, height)
	fmt.Fprintf(&b, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", width, height)
	for lane := range lanes {
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"#57606a\">%d</text>\n", texts+lane*cell+cell/2, above-8, lane)
	}
	for i, s := range steps {
		y := above + i*cell
		fmt.Fprintf(&b, "<text x=\"10\" y=\"%d\" fill=\"#24292f\">%s</text>\n", y+13, html.EscapeString(strings.TrimSpace(s.Text)))
		for lane := range lanes {
			fill := "#eaeef2"
			if s.Lanes>>lane&1 != 0 {
				fill = "#0969da"
			}
			fmt.Fprintf(&b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", texts+lane*cell+1, y+1, cell-2, cell-2, fill)
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
