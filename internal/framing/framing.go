// Package framing reads messages as editors send them to servers: lines of a header, of which Content-Length says how many bytes
// follow, an empty line, and those bytes. The Language Server Protocol and the Debug Adapter Protocol have it in common.
//
// Who sends a broken header has documents or a launch open here, which would be lost with the connection: the reader says what
// is wrong, and goes on with the next header that it finds.
package framing

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Broken says why a message cannot be read. The next one can be.
type Broken struct{ Why string }

func (b *Broken) Error() string { return b.Why }

// ErrWithin says that the input has ended within a message.
var ErrWithin = fmt.Errorf("the input ends within a message: %w", io.ErrUnexpectedEOF)

// maxLine is how much of a line of a header is looked at.
const maxLine = 4096

// maxPutBack bounds how much of a broken message is looked at again, and so what hostile input costs.
const maxPutBack = 1 << 16

// lengthHeader gives the bytes of a message's text. It need not begin its line: behind a text that is longer than its header said
// the next header follows without a line break.
var lengthHeader = regexp.MustCompile(`(?i)content-length:`)

// Reader reads messages.
type Reader struct {
	in   *bufio.Reader
	src  *source
	max  int  // bytes of a message
	told bool // of what is broken since the last message: one complaint is enough
}

// NewReader reads messages of at most max bytes.
func NewReader(from io.Reader, max int) *Reader {
	src := &source{rest: from}
	return &Reader{in: bufio.NewReaderSize(src, maxLine), src: src, max: max}
}

// Next reads the text of the next message. The error is io.EOF behind the last one, ErrWithin if that has no end, that of the
// input, or a *Broken.
func (r *Reader) Next() ([]byte, error) {
	length, err := r.header()
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer // grows with what comes: a length may promise more
	if _, err := io.CopyN(&body, r.in, int64(length)); err == io.EOF {
		return nil, ErrWithin
	} else if err != nil {
		return nil, err
	}
	r.told = false
	return body.Bytes(), nil
}

// header reads the lines in front of a text, and returns how long that is.
func (r *Reader) header() (length int, err error) {
	length = -1
	for begun := false; ; begun = true {
		line, err := r.in.ReadSlice('\n')
		switch {
		case err == io.EOF && len(line) == 0 && !begun && !r.told:
			return 0, io.EOF
		case err == io.EOF:
			return 0, ErrWithin
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return 0, err
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" && length >= 0 {
			return length, nil
		}
		n, why := r.line(text)
		if why == "" {
			length = max(length, n)
		} else if length = -1; !r.told {
			r.told = true
			return 0, &Broken{why}
		}
	}
}

// line reads a line of a header: a length, -1 if it says none. why says what is wrong with it, "" if nothing is.
func (r *Reader) line(text string) (length int, why string) {
	at := lengthHeader.FindStringIndex(text)
	if at == nil {
		name, _, ok := strings.Cut(text, ":")
		switch {
		case text == "":
			return -1, "a header lacks Content-Length"
		case !ok || strings.ContainsAny(name, " {\""):
			return -1, fmt.Sprintf("%.40q is no line of a header: want Content-Length: N", text)
		}
		return -1, ""
	}
	n, err := strconv.ParseUint(strings.TrimSpace(text[at[1]:]), 10, 62)
	switch {
	case err != nil:
		return -1, fmt.Sprintf("%.40q: want Content-Length: N, a number of bytes up to %d", text[at[0]:], r.max)
	case n > uint64(r.max):
		return -1, fmt.Sprintf("a message of %d bytes: at most %d", n, r.max)
	}
	return int(n), ""
}

// PutBack gives back a text that is no message: if its header promised too much, the next message begins within it.
func (r *Reader) PutBack(text []byte) {
	text = text[max(0, len(text)-maxPutBack):]
	at := lengthHeader.FindIndex(text)
	if at == nil {
		return
	}
	unread, _ := r.in.Peek(r.in.Buffered())
	r.src.first = slices.Concat(text[at[0]:], unread, r.src.first)
	r.in.Reset(r.src)
}

// source is a reader that bytes can be put back into.
type source struct {
	first []byte
	rest  io.Reader
}

func (s *source) Read(p []byte) (int, error) {
	if len(s.first) > 0 {
		n := copy(p, s.first)
		s.first = s.first[n:]
		return n, nil
	}
	return s.rest.Read(p)
}
