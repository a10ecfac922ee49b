package syntax

// This file numbers the words of a file, so that later stages compare and look up
// integers. The words of the grammar have fixed numbers.

import (
	"hash/maphash"
	"sync"
)

// Word is the number of a distinct identifier or dot-word within one file; equal
// numbers mean equal text. Numbers below WordCount are the same in every file.
type Word uint32

// The words that the grammar knows. They are directives, never instructions.
const (
	WordNone Word = iota
	WordVersion
	WordTarget
	WordAddressSize
	WordFile
	WordSection
	WordPragma
	WordAlias
	WordIntermediateSource
	WordCodeBlock
	WordIRName
	WordSourceFileName
	WordSourceBegin
	WordSourceEnd
	WordEntry
	WordFunc
	WordExtern
	WordVisible
	WordWeak
	WordCommon
	WordReg
	WordSreg
	WordConst
	WordGlobal
	WordLocal
	WordParam
	WordShared
	WordTex
	WordAlign
	WordAttribute
	WordPtr
	WordV2
	WordV4
	WordV8
	WordManaged
	WordUnified
	WordLoc
	WordLocIntermediate
	WordBranchTargets
	WordCallTargets
	WordCallPrototype
	WordMaxNReg
	WordMaxNTid
	WordReqNTid
	WordMinNCTAPerSM
	WordMaxNCTAPerSM
	WordNoReturn
	WordAbiPreserve
	WordAbiPreserveControl
	WordMinPerCTAMemory
	WordReqNCTAPerCluster
	WordExplicitCluster
	WordMaxClusterRank
	WordBlocksAreClusters
	WordLanguage
	WordWarpSize
	WordSink
	WordGeneric
	WordFunctionName
	WordInlinedAt
	WordDWARF
	WordS64
	WordU64
	WordCount
)

var grammarWords = [WordCount]string{
	WordVersion: ".version", WordTarget: ".target", WordAddressSize: ".address_size",
	WordFile: ".file", WordSection: ".section", WordPragma: ".pragma", WordAlias: ".alias",
	WordIntermediateSource: ".nv_intermediate_source_section", WordCodeBlock: ".code_block",
	WordIRName: ".ir_name", WordSourceFileName: ".sourceFileName",
	WordSourceBegin: ".source_begin", WordSourceEnd: ".source_end",
	WordEntry: ".entry", WordFunc: ".func",
	WordExtern: ".extern", WordVisible: ".visible", WordWeak: ".weak", WordCommon: ".common",
	WordReg: ".reg", WordSreg: ".sreg", WordConst: ".const", WordGlobal: ".global", WordLocal: ".local",
	WordParam: ".param", WordShared: ".shared", WordTex: ".tex",
	WordAlign: ".align", WordAttribute: ".attribute", WordPtr: ".ptr",
	WordV2: ".v2", WordV4: ".v4", WordV8: ".v8", WordManaged: ".managed", WordUnified: ".unified",
	WordLoc: ".loc", WordLocIntermediate: ".loc_intermediate",
	WordBranchTargets: ".branchtargets", WordCallTargets: ".calltargets", WordCallPrototype: ".callprototype",
	WordMaxNReg: ".maxnreg", WordMaxNTid: ".maxntid", WordReqNTid: ".reqntid",
	WordMinNCTAPerSM: ".minnctapersm", WordMaxNCTAPerSM: ".maxnctapersm", WordNoReturn: ".noreturn",
	WordAbiPreserve: ".abi_preserve", WordAbiPreserveControl: ".abi_preserve_control",
	WordMinPerCTAMemory: ".minperctamemory", WordReqNCTAPerCluster: ".reqnctapercluster",
	WordExplicitCluster: ".explicitcluster", WordMaxClusterRank: ".maxclusterrank",
	WordBlocksAreClusters: ".blocksareclusters", WordLanguage: ".language",
	WordWarpSize: "WARP_SZ", WordSink: "_", WordGeneric: "generic",
	WordFunctionName: "function_name", WordInlinedAt: "inlined_at", WordDWARF: "DWARF",
	WordS64: ".s64", WordU64: ".u64",
}

// role is the part that a word plays in the grammar of directives.
type role uint8

const (
	roleNone       role = iota
	roleModule          // begins a statement of module level
	roleFunction        // .entry, .func
	roleLinkage         // .extern, .visible, .weak, .common
	roleSpace           // a state space: begins a declaration
	roleSpecifier       // .align, .attribute: may begin a declaration
	roleVector          // .v2, .v4, .v8
	roleBody            // begins a directive statement in a body
	roleAttachment      // stands between the head and the body of a function
)

var roles = [WordCount]role{
	WordVersion: roleModule, WordTarget: roleModule, WordAddressSize: roleModule, WordFile: roleModule,
	WordSection: roleModule, WordAlias: roleModule, WordIntermediateSource: roleModule,
	WordEntry: roleFunction, WordFunc: roleFunction,
	WordExtern: roleLinkage, WordVisible: roleLinkage, WordWeak: roleLinkage, WordCommon: roleLinkage,
	WordReg: roleSpace, WordSreg: roleSpace, WordConst: roleSpace, WordGlobal: roleSpace, WordLocal: roleSpace,
	WordParam: roleSpace, WordShared: roleSpace, WordTex: roleSpace,
	WordAlign: roleSpecifier, WordAttribute: roleSpecifier,
	WordV2: roleVector, WordV4: roleVector, WordV8: roleVector,
	WordPragma: roleBody, WordLoc: roleBody, WordLocIntermediate: roleBody,
	WordBranchTargets: roleBody, WordCallTargets: roleBody, WordCallPrototype: roleBody,
	WordMaxNReg: roleAttachment, WordMaxNTid: roleAttachment, WordReqNTid: roleAttachment,
	WordMinNCTAPerSM: roleAttachment, WordMaxNCTAPerSM: roleAttachment, WordNoReturn: roleAttachment,
	WordAbiPreserve: roleAttachment, WordAbiPreserveControl: roleAttachment,
	WordMinPerCTAMemory: roleAttachment, WordReqNCTAPerCluster: roleAttachment,
	WordExplicitCluster: roleAttachment, WordMaxClusterRank: roleAttachment,
	WordBlocksAreClusters: roleAttachment, WordLanguage: roleAttachment,
}

func roleOf(w Word) role {
	if w < WordCount {
		return roles[w]
	}
	return roleNone
}

// hashSeed is random per process, so that no input can be made to collide.
var hashSeed = maphash.MakeSeed()

// wordTable is an open-addressing hash table from text to Word.
type wordTable struct {
	words []string // by Word
	slots []slot   // a power of two, at most half full

	// recent holds the word last found for a length and two last characters: words come
	// in clusters, and comparing is cheaper than hashing.
	recent [1024]Word
}

// nearKey is the index into recent; text is not empty.
func nearKey(text string) uint32 {
	n := len(text)
	return (uint32(text[n-1]) + uint32(text[n>>1])<<5 + uint32(n)<<8) % 1024
}

type slot struct {
	hash uint32
	word Word // 0: empty
}

var grammarTable = sync.OnceValue(func() *wordTable {
	t := &wordTable{words: make([]string, 1, WordCount), slots: make([]slot, 512)}
	for _, w := range grammarWords[1:] {
		t.intern(w)
	}
	return t
})

// newWordTable returns a table that holds the words of the grammar.
func newWordTable() *wordTable {
	g := grammarTable()
	return &wordTable{
		words: append(make([]string, 0, 4*len(g.words)), g.words...),
		slots: append([]slot(nil), g.slots...),
	}
}

// intern returns the number of text, making one if it is new; 0 if there are too many.
func (t *wordTable) intern(text string) Word {
	near := &t.recent[nearKey(text)]
	if t.words[*near] != text {
		*near = t.lookup(text)
	}
	return *near
}

func (t *wordTable) lookup(text string) Word {
	h := uint32(maphash.String(hashSeed, text))
	mask := uint32(len(t.slots) - 1)
	i := h & mask
	for t.slots[i].word != 0 {
		if s := t.slots[i]; s.hash == h && t.words[s.word] == text {
			return s.word
		}
		i = (i + 1) & mask
	}
	if len(t.words) > maxWord {
		return 0
	}
	return t.insert(i, h, text)
}

func (t *wordTable) insert(i, h uint32, text string) Word {
	w := Word(len(t.words))
	t.words = append(t.words, text)
	t.slots[i] = slot{h, w}
	if 2*len(t.words) > len(t.slots) {
		t.grow()
	}
	return w
}

func (t *wordTable) grow() {
	old := t.slots
	t.slots = make([]slot, 4*len(old))
	mask := uint32(len(t.slots) - 1)
	for _, s := range old {
		if s.word == 0 {
			continue
		}
		i := s.hash & mask
		for t.slots[i].word != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = s
	}
}
