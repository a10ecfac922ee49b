package syntax

// This file finds the number of a word. Most words have at most sixteen bytes, which two integers hold: they
// are compared and hashed as such.

import (
	"hash/maphash"
	"math/bits"
	"sync"
)

// hashSeed is random per process, so that no input can be made to collide, as are the odd factors of short words.
var (
	hashSeed = maphash.MakeSeed()
	factors  = [2]uint64{maphash.String(hashSeed, "low") | 1, maphash.String(hashSeed, "high") | 1}
)

// wordTable maps text to Words with two open-addressing hash tables, whose lengths are powers of two, each at
// most half full.
type wordTable struct {
	words []string // by Word
	short []shortSlot
	long  []longSlot

	shorts, longs int // words in each

	// recent holds the word last found for a length and two characters of a long one: words come in
	// clusters, and comparing is cheaper than hashing.
	recent [256]Word
}

// shortSlot holds a word of at most sixteen bytes, padded with zeros, which no word has.
type shortSlot struct {
	key  shortKey
	word Word // 0: empty
}

type shortKey struct{ low, high uint64 }

type longSlot struct {
	hash uint32
	word Word // 0: empty
}

const maxShort = 16

// lowMasks and highMasks keep the first bytes of sixteen.
var lowMasks, highMasks = makeMasks()

func makeMasks() (low, high [maxShort + 1]uint64) {
	for n := range low {
		low[n] = 1<<(8*min(n, 8)) - 1
		high[n] = 1<<(8*max(n-8, 0)) - 1
	}
	return low, high
}

// keyOf is the key of a short word, the bytes of text from start to end.
func keyOf(text string, start, end int) shortKey {
	if start+maxShort > len(text) {
		var room [maxShort]byte
		copy(room[:], text[start:end])
		text, start, end = string(room[:]), 0, end-start
	}
	n := end - start
	return shortKey{load64(text[start:start+8]) & lowMasks[n], load64(text[start+8:start+16]) & highMasks[n]}
}

// load64 reads eight bytes as one integer, the first in its low bits.
func load64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// slot is the index of a key in a table of a length: the halves of a product, as wyhash has it.
func (k shortKey) slot(length int) int {
	high, low := bits.Mul64(k.low^factors[0], k.high^factors[1])
	return int(high^low) & (length - 1)
}

var grammarTable = sync.OnceValue(func() *wordTable {
	t := &wordTable{words: make([]string, 1, WordCount), short: make([]shortSlot, 512), long: make([]longSlot, 128)}
	t.addGrammar()
	return t
})

func (t *wordTable) addGrammar() {
	for _, w := range grammarWords[1:] {
		t.intern(w, 0, len(w))
	}
}

// bytesPerWord is the length of a text for each distinct word, in what compilers write.
const bytesPerWord = 128

// clear makes t a table without words.
func (t *wordTable) clear() {
	clear(t.words)
	clear(t.short)
	clear(t.long)
	*t = wordTable{words: t.words[:1], short: t.short, long: t.long}
}

// newWordTable returns a table that holds the words of the grammar, with room for some more.
func newWordTable(more int) *wordTable {
	g := grammarTable()
	return &wordTable{
		words: append(make([]string, 0, 2*len(g.words)+more), g.words...),
		short: append([]shortSlot(nil), g.short...), shorts: g.shorts,
		long: append([]longSlot(nil), g.long...), longs: g.longs,
	}
}

// intern returns the number of the word that the bytes of text from start to end are, making one if it is new;
// 0 if there are too many.
func (t *wordTable) intern(text string, start, end int) Word {
	if end-start > maxShort {
		return t.internLong(text[start:end])
	}
	key := keyOf(text, start, end)
	mask := len(t.short) - 1
	i := key.slot(len(t.short))
	for t.short[i].word != 0 {
		if t.short[i].key == key {
			return t.short[i].word
		}
		i = (i + 1) & mask
	}
	w := t.add(text[start:end])
	if w != 0 {
		t.short[i] = shortSlot{key, w}
		if t.shorts++; 2*t.shorts > len(t.short) {
			t.growShort()
		}
	}
	return w
}

// add numbers a new word.
func (t *wordTable) add(text string) Word {
	if len(t.words) > maxWord {
		return 0
	}
	t.words = append(t.words, text)
	return Word(len(t.words) - 1)
}

func (t *wordTable) growShort() {
	old := t.short
	t.short = make([]shortSlot, 4*len(old))
	mask := len(t.short) - 1
	for _, s := range old {
		if s.word == 0 {
			continue
		}
		i := s.key.slot(len(t.short))
		for t.short[i].word != 0 {
			i = (i + 1) & mask
		}
		t.short[i] = s
	}
}

func (t *wordTable) internLong(text string) Word {
	n := len(text)
	near := &t.recent[(uint(text[n-1])+uint(text[n>>1])<<3+uint(n)<<5)%uint(len(t.recent))]
	if t.words[*near] != text {
		*near = t.lookupLong(text)
	}
	return *near
}

func (t *wordTable) lookupLong(text string) Word {
	h := uint32(maphash.String(hashSeed, text))
	mask := uint32(len(t.long) - 1)
	i := h & mask
	for t.long[i].word != 0 {
		if s := t.long[i]; s.hash == h && t.words[s.word] == text {
			return s.word
		}
		i = (i + 1) & mask
	}
	w := t.add(text)
	if w != 0 {
		t.long[i] = longSlot{h, w}
		if t.longs++; 2*t.longs > len(t.long) {
			t.growLong()
		}
	}
	return w
}

func (t *wordTable) growLong() {
	old := t.long
	t.long = make([]longSlot, 4*len(old))
	mask := uint32(len(t.long) - 1)
	for _, s := range old {
		if s.word == 0 {
			continue
		}
		i := s.hash & mask
		for t.long[i].word != 0 {
			i = (i + 1) & mask
		}
		t.long[i] = s
	}
}
