package launchlang

// This file reads the options of --image that say how textures read it.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm"
)

// textureKeys and textureFlags are the options of textures, with and without a value.
var (
	textureKeys  = []string{"filter", "mipfilter", "address", "border", "mips", "compare", "read", "bias", "lod", "aniso"}
	textureFlags = []string{"normalized", "srgb", "seamless"}
)

func isFlag(word string) bool { return slices.Contains(textureFlags, word) }

// textureOption reads one option.
func (s *Image) textureOption(key, value string) (err error) {
	t, sampler := &s.tex, &s.tex.Sampler
	switch key {
	case "normalized":
		t.Normalized = true
	case "srgb":
		t.SRGB = true
	case "seamless":
		sampler.Seamless = true
	case "aniso":
		if sampler.MaxAnisotropy, err = strconv.Atoi(value); err != nil || sampler.MaxAnisotropy < 1 {
			err = fmt.Errorf("aniso=%s: want the most samples along a gradient, 1 to 16", value)
		}
	case "filter":
		sampler.Linear, err = oneOf(key, value, "point", "linear")
	case "mipfilter":
		sampler.MipLinear, err = oneOf(key, value, "point", "linear")
	case "read":
		t.ReadNormalized, err = oneOf(key, value, "element", "normalized")
	case "address":
		err = addressModes(&sampler.Address, value)
	case "border":
		err = numbers(sampler.Border[:], value)
	case "bias":
		sampler.LODBias, err = number(value)
	case "lod":
		var lods [2]float32
		err = numbers(lods[:], value)
		sampler.MinLOD, sampler.MaxLOD = lods[0], lods[1]
	case "compare":
		sampler.Compare, err = ptxvm.ParseCompareMode(value)
	case "mips":
		if value == "auto" {
			s.desc.Levels = wholeChain(s.desc)
			return nil
		}
		if s.desc.Levels, err = strconv.Atoi(value); err != nil || s.desc.Levels < 1 {
			err = fmt.Errorf("mips=%s: want a number of levels, or auto for all; those behind the first are made from it", value)
		}
	}
	return err
}

// oneOf tells whether a value is the second of two words.
func oneOf(key, value, no, yes string) (bool, error) {
	if value != no && value != yes {
		return false, fmt.Errorf("%s=%s: want %s or %s", key, value, no, yes)
	}
	return value == yes, nil
}

// addressModes reads one mode for all dimensions, or one for each with slashes between them.
func addressModes(to *[3]ptxvm.AddressMode, value string) error {
	words := strings.Split(value, "/")
	if len(words) > len(to) {
		return fmt.Errorf("address=%s: want at most %d modes", value, len(to))
	}
	for i := range to {
		m, err := ptxvm.ParseAddressMode(words[min(i, len(words)-1)])
		if err != nil {
			return err
		}
		to[i] = m
	}
	return nil
}

// numbers reads as many numbers with slashes between them as there is room for.
func numbers(to []float32, value string) (err error) {
	words := strings.Split(value, "/")
	if len(words) > len(to) {
		return fmt.Errorf("%q: want at most %d numbers", value, len(to))
	}
	for i, w := range words {
		if to[i], err = number(w); err != nil {
			return err
		}
	}
	return nil
}

func number(value string) (float32, error) {
	v, err := strconv.ParseFloat(value, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is no number", value)
	}
	return float32(v), nil
}

// textures makes the texture of an image, and the sampler of its name.
func (im *image) textures(d *ptxvm.Device) (err error) {
	desc := im.Image.tex
	desc.Name, desc.Array, desc.Sampler.Name = im.desc.Name, im.array, im.desc.Name
	if im.tex, err = d.NewTexture(desc); err != nil {
		return err
	}
	_, err = d.NewSampler(desc.Sampler)
	return err
}
