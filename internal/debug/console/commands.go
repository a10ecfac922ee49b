package console

// This file is the table of commands: help, completion and docs/debugger.md are made from it.

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// command is one row.
type command struct {
	name    string
	also    []string // abbreviations and other names, as in gdb
	args    string   // as help shows them
	group   string
	help    string // the first sentence is what the list of commands shows
	example string
	again   again
	run     func(c *Console, args string) error
	words   func(c *Console, before []string) []string // that an argument may be; nil: none is offered
}

// again says what an empty line behind a command does.
type again uint8

const (
	never again = iota // nothing
	same               // the command again
	bare               // the command again, without its arguments
)

// groups are the headings of help, in their order.
var groups = []string{"Running", "Stopping", "Stepping", "Going back", "Focus", "Looking", "Changing", "Session"}

var (
	makeTable sync.Once
	table     []*command
)

// commands is the table.
func commands() []*command {
	makeTable.Do(func() {
		table = slices.Concat(running(), stopping(), stepping(), goingBack(), focusing(), looking(), more())
	})
	return table
}

func running() []*command {
	return []*command{
		{name: "run", also: []string{"r"}, group: "Running", run: (*Console).run,
			help: "Run the launch from its start, to the first breakpoint or to its end.", example: "run"},
		{name: "start", group: "Running", run: (*Console).start,
			help: "Run the launch anew, and stop before its first instruction.", example: "start"},
		{name: "continue", also: []string{"c", "fg"}, args: "[N]", group: "Running", again: bare, run: (*Console).goOn,
			help: "Go on to the next breakpoint, watchpoint, fault or report, or to the end. N passes the breakpoint where it stands N-1 times.", example: "continue"},
		{name: "restart", args: "[--seed N]", group: "Running", run: (*Console).restart,
			help: "Run the launch anew, with another seed of the schedule if one is given, and forget what set has changed.", example: "restart --seed 7"},
	}
}

func stopping() []*command {
	threads := " thread (x,y,z)/(x,y,z) names a block and a thread of it, thread (x,y,z) a thread of any block."
	return []*command{
		{name: "break", also: []string{"b", "br", "brea"}, args: "[LOCATION] [thread T] [if COND]", group: "Stopping", run: (*Console).breakAt, words: locations,
			help: "Stop at a location: FILE:LINE of the PTX or of the source, LINE, a kernel or a function, a label, *N for instruction N; without one, here." + threads, example: "break k.ptx:12 thread (0,0,0)/(5,0,0) if %r1 > 3"},
		{name: "tbreak", also: []string{"tb"}, args: "[LOCATION] [thread T] [if COND]", group: "Stopping", run: (*Console).breakOnce, words: locations,
			help: "Stop at a location once.", example: "tbreak k"},
		{name: "watch", args: "EXPR [if COND]", group: "Stopping", run: (*Console).watch,
			help: "Stop when a value changes. Memory is watched at the address that EXPR has now, a register in the thread in focus.", example: "watch s[3]"},
		{name: "rwatch", args: "EXPR", group: "Stopping", run: (*Console).watchReads,
			help: "Stop when an instruction reads memory.", example: "rwatch [shared 0x400]:u32"},
		{name: "awatch", args: "EXPR", group: "Stopping", run: (*Console).watchAll,
			help: "Stop when an instruction reads or writes memory, whether its value changes or not.", example: "awatch total"},
		{name: "catch", args: "divergence [if COND]", group: "Stopping", run: (*Console).catch, words: func(*Console, []string) []string { return []string{"divergence"} },
			help: "Stop behind each instruction at which lanes of a warp part that stood together. Lanes that exit do not part.", example: "catch divergence"},
		{name: "delete", also: []string{"d"}, args: "[N…]", group: "Stopping", run: (*Console).delete,
			help: "Delete breakpoints and watchpoints: those of the numbers, or all.", example: "delete 1"},
		{name: "disable", also: []string{"dis"}, args: "[N…]", group: "Stopping", run: (*Console).disable,
			help: "Let breakpoints and watchpoints be, without deleting them.", example: "disable 2"},
		{name: "enable", also: []string{"en"}, args: "[N…]", group: "Stopping", run: (*Console).enable,
			help: "Let disabled breakpoints and watchpoints stop the launch again.", example: "enable 2"},
		{name: "condition", args: "N [COND]", group: "Stopping", run: (*Console).condition,
			help: "Make breakpoint N stop only where COND is true for a lane that stands there; without COND, always.", example: "condition 1 %r1 == 0"},
		{name: "ignore", args: "N COUNT", group: "Stopping", run: (*Console).ignore,
			help: "Pass breakpoint N the next COUNT times.", example: "ignore 1 10"},
	}
}

func stepping() []*command {
	return []*command{
		{name: "step", also: []string{"s"}, args: "[N | by lane|warp|block]", group: "Stepping", again: same, run: (*Console).step,
			help: "Go to the next line of the source, or of the PTX where .loc names no source, also in a function that is called. step by lane, warp or block says what steps are of from now on: the lane in focus, all lanes of its warp, or its block up to behind the next barrier.", example: "step by warp"},
		{name: "next", also: []string{"n"}, args: "[N]", group: "Stepping", again: same, run: (*Console).nextLine,
			help: "Go to the next line, and over calls.", example: "next 3"},
		{name: "stepi", also: []string{"si"}, args: "[N]", group: "Stepping", again: same, run: (*Console).stepi,
			help: "Go to the next PTX instruction.", example: "stepi"},
		{name: "nexti", also: []string{"ni"}, args: "[N]", group: "Stepping", again: same, run: (*Console).nexti,
			help: "Go to the next PTX instruction, and over calls.", example: "nexti 10"},
		{name: "finish", also: []string{"fin"}, group: "Stepping", again: same, run: (*Console).finish,
			help: "Go on until the function has returned.", example: "finish"},
		{name: "until", also: []string{"u"}, args: "[LOCATION | converged]", group: "Stepping", again: same, run: (*Console).until, words: locations,
			help: "Go on to a line behind this one, so that loops are done; to a location, or until the function returns; or until all lanes of the warp stand together.", example: "until converged"},
		{name: "advance", args: "LOCATION", group: "Stepping", again: same, run: (*Console).advance, words: locations,
			help: "Go on until the thread in focus comes to a location.", example: "advance k.ptx:40"},
	}
}

func goingBack() []*command {
	return []*command{
		{name: "reverse-step", also: []string{"rs"}, args: "[N]", group: "Going back", again: same, run: (*Console).reverseStep,
			help: "Go back to the beginning of the line, or of the one before.", example: "reverse-step"},
		{name: "reverse-next", also: []string{"rn"}, args: "[N]", group: "Going back", again: same, run: (*Console).reverseNext,
			help: "Go back to the line before, over calls.", example: "reverse-next"},
		{name: "reverse-stepi", also: []string{"rsi"}, args: "[N]", group: "Going back", again: same, run: (*Console).reverseStepi,
			help: "Go back to the instruction before.", example: "reverse-stepi 2"},
		{name: "reverse-nexti", also: []string{"rni"}, args: "[N]", group: "Going back", again: same, run: (*Console).reverseNexti,
			help: "Go back to the instruction before, over calls.", example: "reverse-nexti"},
		{name: "reverse-continue", also: []string{"rc"}, group: "Going back", again: same, run: (*Console).reverseContinue,
			help: "Go back to where a breakpoint would have stopped the launch last, or before the instruction that changed a watched value.", example: "reverse-continue"},
		{name: "reverse-finish", group: "Going back", again: same, run: (*Console).reverseFinish,
			help: "Go back to the call of the function.", example: "reverse-finish"},
		{name: "goto", args: "MOMENT|fault|report[:N]", group: "Going back", run: (*Console).gotoMoment,
			help: "Go to a moment, forwards or backwards. A moment is how many warp instructions the launch has executed; with the same seed it is the same state in every run. +N and -N count from here. fault is the instruction that ends the launch, report:N what sanitizers report as the N-th, from its start.", example: "goto 1200"},
		{name: "last", args: "write of ADDR|REGISTER", group: "Going back", run: (*Console).lastWrite,
			help: "Go back to the instruction that has written memory, or a register of the lane in focus, last, also if the value was the same before.", example: "last write of s[3]",
			words: func(*Console, []string) []string { return []string{"write", "of"} }},
	}
}

func focusing() []*command {
	return []*command{
		{name: "cuda", args: "[kernel N] [block B] [thread T] [warp W] [lane L]", group: "Focus", run: (*Console).cuda,
			help: "Look at another thread; without arguments, say which one is in focus. B and T are x, or (x,y,z); a warp is one of the block.", example: "cuda block 2 thread (5,0,0)",
			words: func(*Console, []string) []string { return []string{"kernel", "block", "thread", "warp", "lane"} }},
		{name: "frame", also: []string{"f"}, args: "[N]", group: "Focus", run: (*Console).frame,
			help: "Look at frame N of the calls that lead here, 0 being the innermost, or say where it stands.", example: "frame 1"},
		{name: "up", args: "[N]", group: "Focus", again: same, run: (*Console).up, help: "Look at the frame of the caller.", example: "up"},
		{name: "down", args: "[N]", group: "Focus", again: same, run: (*Console).down, help: "Look at the frame of the function that was called.", example: "down"},
	}
}

func looking() []*command {
	return []*command{
		{name: "print", also: []string{"p", "inspect"}, args: "[/FMT] EXPR", group: "Looking", run: (*Console).print, words: symbols,
			help:    "Print a value. Registers are %r1 or, of another lane, %r1@5, or of all lanes %r1@warp; memory is [ADDR]:f32 or [shared s+4]:u32; parameters and variables go by their names, x[2] is an element; tmem[LANE][COLUMN] and [tmem ADDR] are tensor memory. texture(X), surface(X) and sampler(X) say what a handle means, texture(X)[x][y] is a texel (as CUDA orders coordinates: x, y, z or layer), texture(X, 1) a level; a .texref variable goes by its name, tensormap(X) reads a tensor map. Operators and numbers are Go's; f32(x) converts, x:f32 looks at the same bits. print frag %r4..%r7 as mma.m16n8k16.a.f16 shows registers as the matrix that they are a fragment of. FMT is x d u o t f c a or z.",
			example: "print/x [p+4]:u32 & 0xff"},
		{name: "why", args: "EXPR", group: "Looking", run: (*Console).whence, words: symbols,
			help: "Say where the value of a register or of memory comes from: the instructions behind it with their values, back through registers, shared and global memory to inputs. The launch runs again for it.", example: "why %f3@5"},
		{name: "x", args: "[/FMT] ADDR", group: "Looking", again: same, run: (*Console).examine, words: symbols,
			help: "Show memory. FMT is a count, a format (x d u o t f c a z, s for a string, i for instructions) and a size (b, h, w, g: 1, 2, 4, 8 bytes).", example: "x/8fw s"},
		{name: "display", args: "[/FMT] [EXPR]", group: "Looking", run: (*Console).display, words: symbols,
			help: "Print a value now and at each stop.", example: "display %r1"},
		{name: "undisplay", args: "[N…]", group: "Looking", run: (*Console).undisplay, help: "End displays: those of the numbers, or all.", example: "undisplay 1"},
		{name: "info", also: []string{"i"}, args: "WHAT", group: "Looking", run: (*Console).info,
			help:    "Show what there is: registers, all-registers, locals, args, breakpoints, display, source, frame, line, functions, moment; info cuda kernels, clusters, blocks, warps, lanes, threads, barriers, mbarriers, async, tmem, images or divergence.",
			example: "info cuda warps", words: func(c *Console, before []string) []string { return infoWords(before) }},
		{name: "backtrace", also: []string{"bt", "where"}, group: "Looking", run: (*Console).backtrace, help: "Show the calls that lead here.", example: "backtrace"},
		{name: "list", also: []string{"l"}, args: "[LINE | FILE:LINE | FUNCTION]", group: "Looking", again: bare, run: (*Console).list, words: locations,
			help: "Show ten lines around here, or the next ten.", example: "list 20"},
		{name: "disassemble", also: []string{"disas"}, args: "[FUNCTION]", group: "Looking", run: (*Console).disassemble, words: locations,
			help: "Show the PTX instructions of a function, with the numbers that break *N takes.", example: "disassemble"},
	}
}

func more() []*command {
	return []*command{
		{name: "set", args: "[var] WHAT = EXPR", group: "Changing", run: (*Console).set, words: symbols,
			help: "Give a register of the lane in focus, or memory, another value. Whenever the launch comes to this moment again it gets it again, until restart.", example: "set %r1 = 5"},
		{name: "source", args: "FILE", group: "Session", run: (*Console).source, help: "Do the commands of a file.", example: "source setup.dbg"},
		{name: "help", also: []string{"h"}, args: "[COMMAND]", group: "Session", run: (*Console).help, help: "Say what commands there are, or what one does.", example: "help break",
			words: func(*Console, []string) []string { return names() }},
		{name: "quit", also: []string{"q", "exit"}, group: "Session", run: func(c *Console, _ string) error { c.quit = true; return nil },
			help: "End the debugger.", example: "quit"},
	}
}

// help prints the table, or a row.
func (c *Console) help(args string) error {
	if args != "" {
		cmd, _, err := find(args)
		if err != nil {
			return err
		}
		c.printf("%s\n%s\n", usage(cmd), wrapped(cmd.help, 100))
		if len(cmd.also) > 0 {
			c.printf("Also: %s\n", strings.Join(cmd.also, ", "))
		}
		c.printf("Example: %s\n", cmd.example)
		return nil
	}
	for _, g := range groups {
		c.printf("%s\n", g)
		for _, cmd := range commands() {
			if cmd.group == g {
				c.printf("  %-17s %s\n", cmd.name, first(cmd.help))
			}
		}
	}
	c.printf("help COMMAND has more. The beginning of a name is enough where no other begins so; an empty line repeats a step.\n")
	return nil
}

func usage(cmd *command) string { return strings.TrimSpace(cmd.name + " " + cmd.args) }

// first is the first sentence of a text.
func first(text string) string {
	if i := strings.Index(text, ". "); i >= 0 {
		return text[:i+1]
	}
	return text
}

// wrapped breaks a text into lines of at most so many letters.
func wrapped(text string, width int) string {
	var b strings.Builder
	n := 0
	for _, word := range strings.Fields(text) {
		switch {
		case n == 0:
		case n+1+len(word) > width:
			b.WriteByte('\n')
			n = 0
		default:
			b.WriteByte(' ')
			n++
		}
		b.WriteString(word)
		n += len(word)
	}
	return b.String()
}

// WriteReference writes the table as a page of Markdown has it.
func WriteReference(w io.Writer) error {
	var b strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&b, "\n## %s\n\n| command | | what it does | example |\n|---|---|---|---|\n", g)
		for _, cmd := range commands() {
			if cmd.group == g {
				also := ""
				if len(cmd.also) > 0 {
					also = "`" + strings.Join(cmd.also, "` `") + "`"
				}
				fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` |\n", cell(usage(cmd)), also, cell(cmd.help), cell(cmd.example))
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
