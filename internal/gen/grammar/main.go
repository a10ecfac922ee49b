// Command grammar writes grammars of PTX for editors that colour text without asking a server: a TextMate grammar, which VS Code,
// Sublime Text, GitHub's Linguist and others read, and a syntax file of Vim. Words are those of the ISA data.
//
//	go run ./internal/gen/grammar editors     (go generate ./internal/isa)
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("grammar: ")
	if len(os.Args) != 2 {
		log.Fatal("want the folder that they are written to")
	}
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// files are what is made, by names in the folder editors.
func files() (map[string][]byte, error) {
	w := collect()
	tm, err := w.textMate()
	return map[string][]byte{
		"vscode/syntaxes/ptx.tmLanguage.json": tm,
		"vim/syntax/ptx.vim":                  w.vim(),
		"vim/ftdetect/ptx.vim":                []byte("autocmd BufRead,BufNewFile *.ptx if getline(1) !~# '^<' | setfiletype ptx | endif\n"), // PreTeXt begins so
	}, err
}

func run(dir string) error {
	list, err := files()
	if err != nil {
		return err
	}
	for name, data := range list {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// words are those of PTX by what they are, sorted, without the point or % in front.
type words struct{ opcodes, directives, types, specials []string }

func collect() (w words) {
	for _, e := range isa.Table().Entries() {
		w.opcodes = append(w.opcodes, e.Opcode[0])
	}
	for _, d := range isa.Directives() {
		if name, ok := strings.CutPrefix(d.Name, "."); ok {
			w.directives = append(w.directives, name)
		}
	}
	for _, t := range isa.Types() {
		w.types = append(w.types, strings.TrimPrefix(t.String(), "."))
	}
	for _, s := range isa.Specials() {
		w.specials = append(w.specials, strings.TrimPrefix(s.String(), "%"))
	}
	for _, list := range []*[]string{&w.opcodes, &w.directives, &w.types, &w.specials} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	w.directives = slices.DeleteFunc(w.directives, func(d string) bool { return slices.Contains(w.types, d) })
	return w
}

// oneOf is a pattern for any of some words.
func oneOf(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = regexp.QuoteMeta(s)
	}
	return "(?:" + strings.Join(quoted, "|") + ")"
}

// What letters names have (4.4): a word ends where none of them follows.
const (
	letters = `[A-Za-z0-9_$]`
	end     = `(?!` + letters + `)`
)

// rule is a pattern of a TextMate grammar with the scope of what it matches.
type rule struct {
	Name  string `json:"name"`
	Match string `json:"match,omitempty"`
	Begin string `json:"begin,omitempty"`
	End   string `json:"end,omitempty"`
}

// textMate is the grammar. The first rule that matches at a place wins.
func (w *words) textMate() ([]byte, error) {
	grammar := struct {
		Comment   string   `json:"comment"`
		Name      string   `json:"name"`
		ScopeName string   `json:"scopeName"`
		FileTypes []string `json:"fileTypes"`
		Patterns  []rule   `json:"patterns"`
	}{
		"Written by go generate ./internal/isa", "PTX", "source.ptx", []string{"ptx"},
		[]rule{
			{Name: "comment.line.double-slash.ptx", Match: `//.*$`},
			{Name: "comment.block.ptx", Begin: `/\*`, End: `\*/`},
			{Name: "string.quoted.double.ptx", Begin: `"`, End: `"|$`},
			{Name: "entity.name.label.ptx", Match: `^\s*[A-Za-z_$%]` + letters + `*(?=\s*:(?!:))`},
			{Name: "variable.language.special.ptx", Match: `%` + oneOf(w.specials) + end},
			{Name: "variable.other.register.ptx", Match: `%` + letters + `+`},
			{Name: "keyword.control.guard.ptx", Match: `@!?`},
			{Name: "constant.numeric.float.ptx", Match: `\b0[fF][0-9A-Fa-f]{8}\b|\b0[dD][0-9A-Fa-f]{16}\b|\b[0-9]+\.[0-9]*(?:[eE][+-]?[0-9]+)?`},
			{Name: "constant.numeric.integer.ptx", Match: `\b0[xX][0-9A-Fa-f]+U?\b|\b0[bB][01]+U?\b|\b[0-9]+U?\b`},
			{Name: "constant.language.target.ptx", Match: `\b(?:sm|compute)_[0-9]+[af]?\b`},
			{Name: "storage.type.ptx", Match: `\.` + oneOf(w.types) + end},
			{Name: "keyword.other.directive.ptx", Match: `(?<!` + letters + `)\.` + oneOf(w.directives) + end},
			{Name: "keyword.operator.instruction.ptx", Match: `(?<![A-Za-z0-9_$%.])` + oneOf(w.opcodes) + end},
			{Name: "storage.modifier.ptx", Match: `\.[A-Za-z_](?:` + letters + `|::)*`},
		},
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(grammar)
	return b.Bytes(), err
}

// vim is the syntax file.
func (w *words) vim() []byte {
	var b strings.Builder
	b.WriteString(`" Vim syntax file. Language: PTX. Written by go generate ./internal/isa
if exists('b:current_syntax')
  finish
endif
syntax case match
syntax iskeyword @,48-57,_,$

syntax match ptxModifier /\.[A-Za-z_][A-Za-z0-9_$:]*/
syntax match ptxRegister /%[A-Za-z0-9_$]\+/
syntax match ptxGuard /@!\?/
syntax match ptxNumber /\<\d\+U\?\>\|\<0[xX]\x\+U\?\>\|\<0[bB][01]\+U\?\>/
syntax match ptxFloat /\<0[fF]\x\{8}\>\|\<0[dD]\x\{16}\>\|\<\d\+\.\d*\([eE][+-]\?\d\+\)\?/
syntax match ptxLabel /^\s*[A-Za-z_$%][A-Za-z0-9_$]*\ze\s*:\([^:]\|$\)/
syntax match ptxTarget /\<\(sm\|compute\)_\d\+[af]\?\>/
syntax region ptxString start=/"/ end=/"\|$/
syntax match ptxComment /\/\/.*$/ contains=@Spell
syntax region ptxComment start=/\/\*/ end=/\*\// contains=@Spell
`)
	alternatives := func(group, before string, list []string) {
		for part := range slices.Chunk(list, 40) { // Vim limits the length of a pattern
			fmt.Fprintf(&b, "syntax match %s /%s\\%%(%s\\)[A-Za-z0-9_$]\\@!/\n", group, before, strings.Join(part, `\|`))
		}
	}
	alternatives("ptxDirective", `[A-Za-z0-9_$]\@<!\.`, w.directives)
	alternatives("ptxType", `\.`, w.types)
	alternatives("ptxSpecial", `%`, w.specials)
	alternatives("ptxInstruction", `[A-Za-z0-9_$%.]\@<!`, w.opcodes)
	b.WriteString(`
highlight default link ptxModifier StorageClass
highlight default link ptxRegister Identifier
highlight default link ptxGuard Conditional
highlight default link ptxNumber Number
highlight default link ptxFloat Float
highlight default link ptxLabel Label
highlight default link ptxTarget Constant
highlight default link ptxString String
highlight default link ptxComment Comment
highlight default link ptxDirective PreProc
highlight default link ptxType Type
highlight default link ptxSpecial Constant
highlight default link ptxInstruction Statement

let b:current_syntax = 'ptx'
`)
	return []byte(b.String())
}
