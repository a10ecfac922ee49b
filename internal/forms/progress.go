package forms

// This file shows how far a long run is.

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"ptxvm.invalid/ptxvm"
)

// Progress is one line of a terminal that says how far a kernel is: drawn anew a few times a second, wiped at its end.
// The device reports for the first time after a tenth of a second, so short runs show nothing.
type Progress struct {
	To    io.Writer // nil: show nothing
	Width func() int
	About string // stands in front: "saxpy, launch 3 of 10"

	mu    sync.Mutex
	drawn int  // runes that stand there
	open  bool // the kernel has printed a line without its end, which must not be written over
	ended bool // nothing is drawn any more
}

// echo is what the terminal itself writes behind the line when the run is interrupted.
const echo = "^C"

// Report is DeviceConfig.Progress: nil where nothing is shown, since a launch that tells how far it is takes longer.
func (p *Progress) Report() func(ptxvm.Progress) {
	if p.To == nil {
		return nil
	}
	return p.Update
}

// Update is called by the device a few times a second while a kernel runs.
func (p *Progress) Update(now ptxvm.Progress) { p.draw(p.About + " " + progressText(now)) }

// Done wipes the line, whatever the outcome.
func (p *Progress) Done() {
	if p.To != nil {
		p.draw("")
	}
}

// End wipes the line for good: a kernel that has not noticed yet that it is interrupted still reports.
func (p *Progress) End() {
	p.Done()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
}

// Beside is what writes where the line stands, in its place.
func (p *Progress) Beside(out io.Writer) io.Writer { return besideLine{p, out} }

type besideLine struct {
	line *Progress
	out  io.Writer
}

func (b besideLine) Write(text []byte) (int, error) {
	b.line.mu.Lock()
	defer b.line.mu.Unlock()
	b.line.write("")
	if len(text) > 0 {
		b.line.open = text[len(text)-1] != '\n'
	}
	return b.out.Write(text)
}

// draw writes over what stands there; spaces and carriage returns do on every terminal.
func (p *Progress) draw(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open || p.ended {
		return
	}
	p.write(text)
}

func (p *Progress) write(text string) {
	if text == "" && p.drawn == 0 {
		return
	}
	if most := p.Width() - 1 - len(echo); utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most])
	}
	length := utf8.RuneCountInString(text)
	over := max(0, p.drawn-length)
	if length == 0 {
		fmt.Fprint(p.To, "\r", strings.Repeat(" ", over+len(echo)), "\r")
	} else {
		fmt.Fprint(p.To, "\r", text, strings.Repeat(" ", over))
	}
	p.drawn = length
}

// progressText is "━━━━━─────  CTAs 12 / 40  1.25 Glane-ops/s  3s, 7s to go".
func progressText(now ptxvm.Progress) string {
	const cells = 20
	full := 0
	if now.CTAs > 0 {
		full = int(cells * now.CTAsDone / now.CTAs)
	}
	text := fmt.Sprintf("%s%s  CTAs %d / %d  %slane-ops/s  %v", strings.Repeat("━", full), strings.Repeat("─", cells-full),
		now.CTAsDone, now.CTAs, Rate(now.LaneOpsPerSecond()), now.Elapsed.Truncate(time.Second))
	if now.CTAsDone > 0 { // as fast as so far
		rest := time.Duration(float64(now.Elapsed) / float64(now.CTAsDone) * float64(now.CTAs-now.CTAsDone))
		text += fmt.Sprintf(", %v to go", rest.Round(time.Second))
	}
	return text
}
