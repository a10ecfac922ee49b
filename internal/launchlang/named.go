package launchlang

// This file reads memory that has a name:
//
//	--buf NAME=DATA|SIZE[,to=SINK]    a buffer, which ptr:NAME points into
//	--global NAME[=DATA][,to=SINK]    a module variable in .global or .const space
//
// What is given DATA and no sink is an input; a buffer is printed if the kernel writes there, a variable is not.

import (
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/value"
)

// namedSpec is one --buf or --global.
type namedSpec struct {
	bufSpec
	text, name string
	global     bool
	set        bool // DATA or SIZE is given
}

func (n *namedSpec) flag() string {
	if n.global {
		return "--global"
	}
	return "--buf"
}

// named is such memory on the device.
type named struct {
	namedSpec
	buffer ptxvm.Buffer
}

// parseBuf reads one --buf.
func parseBuf(text string) (namedSpec, error) {
	n := namedSpec{text: text}
	name, rest, ok := strings.Cut(text, "=")
	if !ok || name == "" || name == "0" {
		return n, fmt.Errorf("--buf %s: want NAME=DATA or NAME=SIZE, then ,to=SINK for a file", text)
	}
	n.name, n.set = name, true
	body, err := n.cutSink(rest)
	if err == nil {
		if n.start, err = parseSize(body); err != nil && (strings.ContainsAny(body, ":=") || strings.HasPrefix(body, "@")) {
			n.start, err = ParseData(body)
			n.input = !n.hasSink()
		}
	}
	if err == nil && n.term {
		err = checkTerm(n.start.Array)
	}
	if err != nil {
		return n, fmt.Errorf("--buf %s: %w", text, err)
	}
	return n, nil
}

// parseGlobal reads one --global.
func parseGlobal(text string) (namedSpec, error) {
	n := namedSpec{text: text, global: true}
	body, err := n.cutSink(text)
	name, data, set := strings.Cut(body, "=")
	if err == nil && name == "" {
		err = fmt.Errorf("want NAME=DATA, NAME,to=SINK or NAME")
	}
	if err == nil && set && data != "" {
		n.set, n.input = true, !n.hasSink()
		n.start, err = ParseData(data)
	}
	if n.name = name; err != nil {
		return n, fmt.Errorf("--global %s: %w", text, err)
	}
	return n, nil
}

// cutSink splits off ,to=SINK.
func (n *namedSpec) cutSink(text string) (string, error) {
	i := strings.LastIndex(text, ",to=")
	if i < 0 {
		return text, nil
	}
	sink := text[i+len(",to="):]
	file, isFile := strings.CutPrefix(sink, "@")
	switch {
	case sink == "term":
		n.term = true
	case !isFile || file == "":
		return "", fmt.Errorf("want to=@FILE or to=term, have to=%s", sink)
	case checkFormat(file) != nil:
		return "", checkFormat(file)
	}
	n.sink = file
	if n.term {
		n.sink = ""
	}
	return text[:i], nil
}

// parseNamed reads all --buf and --global of a launch.
func parseNamed(bufs, globals []string) (list []namedSpec, err error) {
	for i, text := range append(slices.Clone(bufs), globals...) {
		parse := parseBuf
		if i >= len(bufs) {
			parse = parseGlobal
		}
		n, err := parse(text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(o namedSpec) bool { return o.name == n.name && o.global == n.global }) {
			return nil, fmt.Errorf("%s %s is given twice", n.flag(), n.name)
		}
		list = append(list, n)
	}
	return list, nil
}

// makeNamed allocates named buffers and finds variables. Nothing is written yet.
func (j *Job) makeNamed(specs []namedSpec) error {
	for _, spec := range specs {
		n := &named{namedSpec: spec}
		make := j.makeBuffer
		if spec.global {
			make = j.findGlobal
		}
		if err := make(n); err != nil {
			return fmt.Errorf("%s %s: %w", spec.flag(), spec.text, err)
		}
		j.Session.named = append(j.Session.named, n)
		j.own = append(j.own, n)
	}
	return nil
}

func (j *Job) makeBuffer(n *named) (err error) {
	if old, err := j.find(n.name); err == nil {
		return fmt.Errorf("%s is the name of an earlier launch's buffer, --buf %s", n.name, old.text)
	}
	n.buffer, err = j.device.Alloc(n.start.size)
	return err
}

// findGlobal finds the variable. Without DATA its own declaration says what it holds.
func (j *Job) findGlobal(n *named) (err error) {
	if n.buffer, err = j.Program.Global(n.name); err != nil {
		return err
	}
	infos := j.Program.Globals()
	i := slices.IndexFunc(infos, func(v ptxvm.VarInfo) bool { return v.Name == n.name })
	declared := declaredAs(infos[i])
	if !n.set {
		n.start = declared
	}
	if n.term {
		if err := checkTerm(n.start.Array); err != nil {
			return err
		}
	}
	if n.start.size != n.buffer.Len() {
		return fmt.Errorf("DATA has %d bytes, the variable %d: .%s .%s %s%s", n.start.size, n.buffer.Len(),
			infos[i].Space, infos[i].Type, n.name, Brackets(infos[i].Count))
	}
	return nil
}

func Brackets(count int) string {
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("[%d]", count)
}

// declaredAs is the type and shape of a variable; types without values of their own are bytes.
func declaredAs(v ptxvm.VarInfo) Contents {
	c := Contents{size: v.Size, unset: true}
	typ, err := value.ParseType(v.Type)
	if err == nil && v.Size > 0 && v.Size%typ.Size() == 0 {
		c.Array = Array{Type: typ, Shape: []int{v.Size / typ.Size()}}
	}
	return c
}

// fillNamed writes what named memory starts with; addresses need all of it to be there.
func (j *Job) fillNamed() error {
	for _, n := range j.own {
		if !n.set || n.start.unset && n.start.zero() {
			continue
		}
		if err := j.restore(n.buffer, &n.bufSpec); err != nil {
			return fmt.Errorf("%s %s: %w", n.flag(), n.text, err)
		}
	}
	return nil
}

// namedResults reads back variables (global), or buffers, that are results.
func (s *Session) namedResults(list []*named, global bool) ([]Result, error) {
	var out []Result
	for _, n := range list {
		if n.global != global || n.input && n.global {
			continue
		}
		r, err := readBack(n.name, n.buffer, &n.bufSpec)
		if err == nil && n.input { // no result unless the kernel has written there
			var same bool
			if same, err = s.unchanged(&n.bufSpec, r.Bytes); same {
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}
