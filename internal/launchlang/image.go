package launchlang

// This file reads --image NAME=GEOM,SIZE,FORMAT[,OPTIONS][,from=DATA][,to=SINK]: surfaces and textures of a launch, what
// they hold before it and where they go after it. png.go reads and writes pictures.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/value"
)

// Image is one --image.
type Image struct {
	text  string
	desc  ptxvm.ArrayDesc
	tex   ptxvm.TextureDesc // how textures read it
	from  string            // DATA; empty: zeros
	to    string            // a file; empty: printed, unless the image is an input
	term  bool              // to=term: shown as a picture of characters
	input bool              // from without to: it is no result
}

// parseImage reads one --image.
func parseImage(text string) (Image, error) {
	spec := Image{text: text}
	name, rest, ok := strings.Cut(text, "=")
	words := strings.SplitN(rest, ",", 4)
	if !ok || name == "" || len(words) < 3 {
		return spec, fmt.Errorf("--image %s: want NAME=GEOM,SIZE,FORMAT[,from=DATA][,to=SINK], such as photo=2d,64x48,u8x4,from=@photo.png", text)
	}
	spec.desc.Name = name
	err := spec.Shape(words[0], words[1], words[2])
	if err == nil && len(words) == 4 {
		err = spec.options(words[3])
	}
	if err == nil && strings.HasSuffix(spec.to, ".png") {
		err = checkPicture(spec.desc)
	}
	if err == nil && spec.term {
		err = checkTerm(Array{Type: channelType(spec.desc.Format), Shape: extents(spec.desc)})
	}
	if err != nil {
		return spec, fmt.Errorf("--image %s: %w", text, err)
	}
	spec.input = spec.from != "" && spec.to == "" && !spec.term
	return spec, nil
}

func (s *Image) Shape(geometry, size, format string) (err error) {
	if s.desc.Geometry, err = ptxvm.ParseGeometry(geometry); err != nil {
		return err
	}
	for word := range strings.SplitSeq(size, "x") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is no extent in %q; want numbers joined by x, such as 64x48", word, size)
		}
		s.desc.Size = append(s.desc.Size, n)
	}
	s.desc.Format, err = ptxvm.ParseSampleFormat(format)
	return err
}

// options reads from=, to= and the options of textures; a value ends only before another key.
func (s *Image) options(text string) error {
	for text != "" {
		key, rest, ok := strings.Cut(text, "=")
		if word, after, _ := strings.Cut(text, ","); isFlag(word) {
			if err := s.textureOption(word, ""); err != nil {
				return err
			}
			text = after
			continue
		}
		if !ok || key != "from" && key != "to" && !slices.Contains(textureKeys, key) {
			return fmt.Errorf("%q is none of from=DATA, to=SINK, %s=…, %s", text, strings.Join(textureKeys, "=…, "), strings.Join(textureFlags, ", "))
		}
		end := valueEnd(key, rest)
		if err := s.option(key, rest[:end]); err != nil {
			return err
		}
		text = strings.TrimPrefix(rest[end:], ",")
	}
	return nil
}

// valueEnd finds where the value of a key ends: before the next key.
func valueEnd(key, rest string) int {
	end := len(rest)
	if i := strings.LastIndex(rest, map[string]string{"from": ",to=", "to": ",from="}[key]); i >= 0 && (key == "from" || key == "to") {
		end = i
	}
	for i := 0; i < end; i++ {
		if rest[i] != ',' {
			continue
		}
		word, _, _ := strings.Cut(rest[i+1:], ",")
		name, _, hasValue := strings.Cut(word, "=")
		if isFlag(word) || hasValue && (slices.Contains(textureKeys, name) || key != "from" && key != "to" && (name == "from" || name == "to")) {
			return i
		}
	}
	return end
}

func (s *Image) option(key, value string) error {
	if key != "from" && key != "to" {
		return s.textureOption(key, value)
	}
	if key == "from" {
		if s.from != "" || value == "" {
			return fmt.Errorf("want one from=DATA")
		}
		s.from = value
		return nil
	}
	if value == "term" && s.to == "" {
		s.term = true
		return nil
	}
	file, isFile := strings.CutPrefix(value, "@")
	if s.to != "" || s.term || !isFile || file == "" {
		return fmt.Errorf("want one to=@FILE or to=term, have to=%s", value)
	}
	s.to = file
	return nil
}

// parseImages reads all, whose names must differ.
func parseImages(texts []string) (list []Image, err error) {
	for _, text := range texts {
		spec, err := parseImage(text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(o Image) bool { return o.desc.Name == spec.desc.Name }) {
			return nil, fmt.Errorf("--image %s is given twice", spec.desc.Name)
		}
		list = append(list, spec)
	}
	return list, nil
}

// image is one of the device's.
type image struct {
	Image
	array ptxvm.Array
	tex   ptxvm.Texture
	start []byte // what it holds before a launch; nil: zeros
}

// makeImages makes the images and fills them.
func (j *Job) makeImages(specs []Image) error {
	for _, spec := range specs {
		im := image{Image: spec}
		var err error
		if slices.ContainsFunc(j.Session.images, func(o image) bool { return o.desc.Name == spec.desc.Name }) {
			return fmt.Errorf("--image %s is given twice; an earlier launch's stays", spec.desc.Name)
		}
		if im.array, err = j.device.NewArray(spec.desc); err == nil && spec.from != "" {
			if im.start, err = spec.load(im.array.Len()); err == nil {
				err = im.array.Write(im.start)
			}
			if err == nil {
				err = writeMips(im.array, im.start)
			}
		}
		if err == nil {
			err = im.textures(j.device)
		}
		if err != nil {
			return fmt.Errorf("--image %s: %w", spec.text, err)
		}
		j.Session.images = append(j.Session.images, im)
	}
	return nil
}

// load reads DATA as n bytes of samples.
func (s *Image) load(n int) ([]byte, error) {
	if name, isFile := strings.CutPrefix(s.from, "@"); isFile && strings.HasSuffix(name, ".png") {
		return readPicture(name, s.desc)
	}
	c, err := ParseData(s.from)
	if err != nil {
		return nil, err
	}
	if c.size != n {
		return nil, fmt.Errorf("%s holds %d bytes; %s of %v has %d", s.from, c.size, s.sizeText(), s.desc.Format, n)
	}
	if want := channelType(s.desc.Format); c.Type.Name() != "" && c.Type.Name() != want.Name() {
		return nil, fmt.Errorf("%s holds %s, the channels of %v are %s", s.from, c.Type.Name(), s.desc.Format, want.Name())
	}
	return c.Data()
}

// sizeText is the size as it was written.
func (s *Image) sizeText() string {
	words := make([]string, len(s.desc.Size))
	for i, n := range s.desc.Size {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, "x")
}

// channelType is how the channels of a format are written in text and .npy.
func channelType(f ptxvm.SampleFormat) value.Type {
	name := map[string]string{"unorm8": "u8", "unorm16": "u16", "snorm8": "s8", "snorm16": "s16"}[f.Channel()]
	if name == "" {
		name = f.Channel()
	}
	typ, err := value.ParseType(name)
	if err != nil {
		panic("BUG: a channel without type: " + err.Error())
	}
	return typ
}

// restoreImages writes what the images hold before a launch.
func (s *Session) restoreImages() error {
	for _, im := range s.images {
		start := im.start
		if start == nil {
			start = make([]byte, im.array.Len())
		}
		if err := im.array.Write(start); err != nil {
			return err
		}
	}
	return nil
}

// surface returns the handle of a named image.
func (s *Session) surface(name string) (ptxvm.Surface, error) {
	im, err := s.image(name)
	if err != nil {
		return ptxvm.Surface{}, err
	}
	return im.array.Surface(), nil
}

// texture returns the handle by which textures read a named image.
func (s *Session) texture(name string) (ptxvm.Texture, error) {
	im, err := s.image(name)
	if err != nil {
		return ptxvm.Texture{}, err
	}
	return im.tex, nil
}

func (s *Session) image(name string) (*image, error) {
	var names []string
	for i := range s.images {
		if s.images[i].desc.Name == name {
			return &s.images[i], nil
		}
		names = append(names, s.images[i].desc.Name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there is no image; --image %s=GEOM,SIZE,FORMAT makes one", name)
	}
	return nil, fmt.Errorf("no image is called %q; there are %s", name, strings.Join(names, ", "))
}

// checkImages refuses images that nothing can reach.
func (s *Session) checkImages(references []string) error {
	for _, im := range s.images {
		used := slices.Contains(references, im.desc.Name) ||
			slices.ContainsFunc(s.Jobs, func(j *Job) bool { return j.uses(im.desc.Name) })
		if !used {
			return fmt.Errorf("--image %s: nothing uses it: want --arg surf:%s, --arg tex:%s, or a .surfref or .texref of this name", im.text, im.desc.Name, im.desc.Name)
		}
	}
	return nil
}

// uses reports whether an argument is the handle of an image.
func (j *Job) uses(image string) bool {
	return slices.ContainsFunc(j.Specs, func(a Arg) bool { return a.surface == image || a.texture == image })
}

// imageResults reads back the images that are no inputs.
func (s *Session) imageResults() ([]Result, error) {
	var out []Result
	for _, im := range s.images {
		if im.input {
			continue
		}
		a := Array{Type: channelType(im.desc.Format), Shape: extents(im.desc), Bytes: make([]byte, im.array.Len())}
		if err := im.array.Read(a.Bytes); err != nil {
			return nil, err
		}
		out = append(out, Result{name: im.desc.Name, Sink: im.to, term: im.term, Array: a, picture: im.desc})
	}
	return out, nil
}

// extents is the shape of an image's samples, the slowest dimension first; channels come last,
// where there are several.
func extents(d ptxvm.ArrayDesc) []int {
	shape := slices.Clone(d.Size)
	slices.Reverse(shape)
	switch d.Geometry {
	case ptxvm.ArrayCube:
		shape = append([]int{6}, shape...)
	case ptxvm.ArrayCubeLayered:
		shape[0] *= 6
	}
	if n := d.Format.Channels(); n > 1 {
		shape = append(shape, n)
	}
	return shape
}
