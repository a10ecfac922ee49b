package debug

// This file shows textures, surfaces, samplers and tensor maps as values.

import (
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/tensor"
	"ptxvm.invalid/ptxvm/internal/value"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// Object is a value that is no number: a texture, a surface, a sampler or a tensor map, or a texel of one of which coordinates are missing.
type Object struct {
	Kind string // "texture"
	Text string

	view  *vm.ImageView // nil: a tensor map
	level int
	at    []uint32 // coordinates so far
}

// objectKinds are the functions that make an object of a handle or, of a tensor map, of an address.
var objectKinds = []string{"texture", "surface", "sampler", tensorMap}

const tensorMap = "tensormap"

// object is KIND(of, level).
type object struct {
	kind  string
	of    node
	level node // nil: 0
}

func (o *object) eval(c *evaluation) (Value, error) {
	if o.kind == tensorMap {
		return c.tensorMap(o.of)
	}
	v, err := o.of.eval(c)
	switch {
	case err != nil:
		return v, err
	case v.Object == nil:
		if v, err = c.image(uint64(v.integer())); err != nil {
			return v, err
		}
	}
	if v.Object.Kind != o.kind {
		return Value{}, fmt.Errorf("It is a %s, no %s.", v.Object.Kind, o.kind)
	}
	if o.level == nil {
		return v, nil
	}
	at, err := o.level.eval(c)
	n := at.integer()
	switch {
	case err != nil:
		return at, err
	case v.Object.view == nil || n < 0 || n >= int64(v.Object.view.Levels()):
		return Value{}, fmt.Errorf("There is no level %d: %s.", n, v.Object.Text)
	}
	one := *v.Object
	one.level = int(n)
	return Value{Object: &one}, nil
}

// image is what a handle means.
func (c *evaluation) image(handle uint64) (Value, error) {
	view, err := c.parts.ImageView(handle)
	if err != nil {
		return Value{}, fmt.Errorf("%s.", strings.ToUpper(err.Error()[:1])+err.Error()[1:])
	}
	return Value{Object: &Object{Kind: view.Kind, Text: view.Text, view: view}}, nil
}

// isReference reports whether a variable names a texture, a surface or a sampler.
func isReference(v *ir.Var) bool {
	return slices.Contains([]string{".texref", ".surfref", ".samplerref"}, v.Type.String())
}

// texel goes one coordinate on: a texel is an array of its channels, as memory has them.
func (c *evaluation) texel(o *Object, at node) (Value, error) {
	if o.view == nil || len(o.view.Axes) == 0 {
		return Value{}, fmt.Errorf("cannot subscript a %s", o.Kind)
	}
	v, err := at.eval(c)
	if err != nil {
		return v, err
	}
	axis := o.view.Axes[len(o.at)]
	n, size := v.integer(), axis.Size(o.level)
	if n < 0 || n >= int64(size) {
		return Value{}, fmt.Errorf("%s is %d, and the %s has 0 to %d there.", axis.Name, n, o.Kind, size-1)
	}
	one := *o
	one.at = append(slices.Clone(o.at), uint32(n))
	if len(one.at) < len(o.view.Axes) {
		var names []string
		for _, a := range o.view.Axes {
			names = append(names, "["+a.Name+"]")
		}
		one.Text = fmt.Sprintf("a part of a %s, whose texels are %s", o.Kind, strings.Join(names, ""))
		return Value{Object: &one}, nil
	}
	t, err := value.ParseType(o.view.Channel)
	if err != nil {
		return Value{}, err
	}
	home := &Home{Space: "global", Addr: o.view.Address(o.level, one.at), Lane: c.lane}
	return Value{Type: t, Count: o.view.Channels, Home: home}, nil
}

// tensorMap reads a tensor map at an address, as brackets take one; a parameter of 128 bytes stands for its own.
func (c *evaluation) tensorMap(at node) (Value, error) {
	space, addr, _, err := c.address(at)
	if n, ok := at.(*named); ok {
		if v, failed := n.eval(c); failed == nil && v.Count > 0 && v.Home != nil {
			space, addr, err = v.Home.Space, v.Home.Addr, nil
		}
	}
	if err != nil {
		return Value{}, err
	}
	if space == "" {
		space = "generic"
	}
	data, err := c.read(space, addr, tensor.MapBytes, c.lane)
	if err != nil {
		return Value{}, err
	}
	m, err := tensor.DecodeMap((*[tensor.MapBytes]byte)(data))
	if err != nil {
		return Value{}, fmt.Errorf("No tensor map lies there: %w.", err)
	}
	where := ""
	if a, ok := c.parts.Memory.Find(m.Address); ok && a.Label != "" {
		where = fmt.Sprintf(" (%s+%d)", a.Label, m.Address-a.Start)
	} else if !ok && m.Address >= mem.NullPage {
		where = " (no allocation)"
	}
	return Value{Object: &Object{Kind: "tensor map", Text: fmt.Sprintf("tensor map: %v%s", m, where)}}, nil
}

// Images lists the textures, surfaces and samplers of the device.
func (s *Session) Images() []*vm.ImageView { return s.run.parts.ImageViews() }
