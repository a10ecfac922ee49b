package framing

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

const most = 1000

// message is a text with its header.
func message(text string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text) }

// read returns what a reader says of an input, in order: texts, complaints, and how it ends. Texts in angles are put back.
func read(input string) (said []string, end error) {
	r := NewReader(strings.NewReader(input), most)
	for {
		text, err := r.Next()
		var broken *Broken
		switch {
		case errors.As(err, &broken):
			said = append(said, "broken: "+broken.Why)
		case err != nil:
			return said, err
		default:
			said = append(said, string(text))
			if strings.HasPrefix(string(text), "<") {
				r.PutBack(text)
			}
		}
	}
}

// TestNext: what can be read is read, whatever stands in front of it, and of what cannot the reader says so once.
func TestNext(t *testing.T) {
	hi := message("hi")
	for _, c := range []struct {
		input string
		want  []string
		end   error
	}{
		{"", nil, io.EOF},
		{hi + hi, []string{"hi", "hi"}, io.EOF},
		{message(""), []string{""}, io.EOF},
		{"Content-Length: 2\n\nhi", []string{"hi"}, io.EOF},
		{"content-length:2\r\nContent-Type: x\r\n\r\nhi", []string{"hi"}, io.EOF},
		{"Content-Type: x\r\n" + hi, []string{"hi"}, io.EOF},
		{"Content-Length: 10\r\n\r\nhi", nil, ErrWithin},
		{"Content-Length: 10", nil, ErrWithin},
		{"Content-Length: 10\r\n", nil, ErrWithin},
		{hi + "Con", []string{"hi"}, ErrWithin},
		{"\r\n" + hi, []string{"broken: a header lacks", "hi"}, io.EOF},
		{"Content-Length: many\r\n\r\n" + hi, []string{"broken: \"Content-Length: many\": want", "hi"}, io.EOF},
		{"Content-Length: -5\r\n\r\n" + hi, []string{"broken: \"Content-Length: -5\": want", "hi"}, io.EOF},
		{"Content-Length: 99999999999999999999\r\n\r\n" + hi, []string{"broken: \"Content-Length: 99", "hi"}, io.EOF},
		{"Content-Length: 1001\r\n\r\n" + hi, []string{"broken: a message of 1001 bytes: at most 1000", "hi"}, io.EOF},
		{"Content-Length: 1001\r\n\r\n", []string{"broken: a message of 1001 bytes: at most 1000"}, ErrWithin},
		{"Content-Length: 2\r\nContent-Length: x\r\n\r\n" + hi, []string{"broken: \"Content-Length: x\"", "hi"}, io.EOF},
		{"Content-Length: 1\r\n\r\n" + "hello" + hi, []string{"h", "hi"}, io.EOF}, // the header stands behind "ello"
		{message("<" + hi), []string{"<" + hi, "hi"}, io.EOF},
		{message("<"+hi+"Content-Le") + "ngth: 2\r\n\r\nho", []string{"<" + hi + "Content-Le", "hi", "ho"}, io.EOF},
		{message("<nothing"), []string{"<nothing"}, io.EOF},
		{"hello\r\n\r\nworld\r\n" + hi, []string{"broken: \"hello\" is no line", "hi"}, io.EOF},
		{strings.Repeat("x", 1<<20) + "\r\n" + hi + "y\r\n" + hi, []string{"broken: \"xxx", "hi", "broken: \"y\"", "hi"}, io.EOF},
		{strings.Repeat("x: y\r\n", 1<<16) + hi, []string{"hi"}, io.EOF},
		{"\u0130\u212aContent-Length: 2\r\n\r\nhi", []string{"hi"}, io.EOF},
	} {
		said, end := read(c.input)
		ok := len(said) == len(c.want) && end == c.end
		for i := range c.want {
			ok = ok && (said[i] == c.want[i] || strings.HasPrefix(c.want[i], "broken: ") && strings.HasPrefix(said[i], c.want[i]))
		}
		if !ok {
			t.Errorf("%.80q: %q, %v; want %q, %v", c.input, said, end, c.want, c.end)
		}
	}
}

// TestInputFails: an error of the input is told as it is.
func TestInputFails(t *testing.T) {
	gone := errors.New("the line is dead")
	for _, sent := range []string{"", "Content-Le", "Content-Length: 5\r\n\r\nab"} {
		r := NewReader(io.MultiReader(strings.NewReader(sent), failing{gone}), most)
		if _, err := r.Next(); !errors.Is(err, gone) {
			t.Errorf("%q: %v", sent, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// FuzzNext: the reader comes to the end of any input, and a message behind an empty line and a broken header is always found.
func FuzzNext(f *testing.F) {
	f.Add("Content-Length: 3\r\n\r\nabc", "x")
	f.Add("<Content-Length: 30\r\n\r\n", "Content-Length: 5")
	f.Fuzz(func(t *testing.T, before, text string) {
		read(before + text)
		if len(text) > most || strings.HasPrefix(text, "<") {
			return
		}
		said, _ := read("Content-Length: x\r\n" + message(text))
		if len(said) != 2 || said[1] != text {
			t.Errorf("%q: %q", text, said)
		}
	})
}
