package cli

// This file lets shells complete command lines. The scripts below call the hidden verb __complete with the words before the
// cursor, the last of which is being typed, and get a line for each word to offer, a tab and what it means behind it. The
// last line is :4, or :0 where file names are right, too.

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// completeVerb is what the scripts call.
const completeVerb = "__complete"

// AddCompletion adds a verb that prints the script for a shell, and the hidden one that scripts call. wrong makes the
// error of a shell that is none.
func (c *Command) AddCompletion(wrong func(have string, shells []string) error) {
	shells := make([]string, 0, len(scripts))
	for shell := range scripts {
		shells = append(shells, shell)
	}
	slices.Sort(shells)
	c.Add(&Command{
		Use:   "completion SHELL",
		Short: "Print the script that lets a shell complete verbs, flags and kernels: " + strings.Join(shells, ", "),
		Example: fmt.Sprintf("  source <(%[1]s completion bash)\n  %[1]s completion fish > ~/.config/fish/completions/%[1]s.fish",
			c.Name()),
		Complete: map[string]func([]string, string) []string{"": func([]string, string) []string { return shells }},
		Run: func(_ *Command, args []string) error {
			script, known := scripts[strings.Join(args, " ")]
			if !known {
				return wrong(strings.Join(args, " "), shells)
			}
			_, err := io.WriteString(c.out, strings.ReplaceAll(script, "NAME", c.Name()))
			return err
		},
	}, &Command{
		Use: completeVerb, Hidden: true, Raw: true,
		Run: func(_ *Command, args []string) error {
			_, err := io.WriteString(c.out, c.offers(args))
			return err
		},
	})
}

// offers is the answer to a script.
func (c *Command) offers(args []string) string {
	args = joinEquals(args)
	if len(args) == 0 {
		args = []string{""}
	}
	typed := args[len(args)-1]
	if typed == `""` { // how PowerShell passes an empty word
		typed = ""
	}
	verb, before := c.choose(args[:len(args)-1])
	words, files := verb.offer(before, typed)
	last := ":4\n"
	if files {
		last = ":0\n"
	}
	return strings.Join(append(words, last), "\n")
}

// joinEquals undoes that bash splits --flag=value in three.
func joinEquals(args []string) (out []string) {
	for i := 0; i < len(args); i++ {
		if n := len(out); args[i] == "=" && n > 0 && strings.HasPrefix(out[n-1], "--") {
			out[n-1] += "="
			if i++; i < len(args) {
				out[n-1] += args[i]
			}
			continue
		}
		out = append(out, args[i])
	}
	return out
}

// offer lists words for what is typed behind other arguments, and tells whether files are right, too.
func (c *Command) offer(before []string, typed string) (words []string, files bool) {
	name, value, assigned := strings.Cut(strings.TrimPrefix(typed, "--"), "=")
	switch f := c.awaiting(before); {
	case f != nil:
		return c.offerValue(f, before, typed)
	case strings.HasPrefix(typed, "--") && assigned:
		if f := c.flags.Lookup(name); f != nil {
			return c.offerValue(f, before, value)
		}
		return nil, false
	case strings.HasPrefix(typed, "-"):
		return c.offerFlags(typed), false
	case len(c.verbs) > 0:
		return c.offerVerbs(typed), false
	}
	if complete := c.Complete[""]; complete != nil {
		return starting(complete(before, typed), typed), false
	}
	return nil, true
}

// awaiting is the flag whose value comes next, nil if none does.
func (c *Command) awaiting(before []string) *Flag {
	if len(before) == 0 {
		return nil
	}
	last := before[len(before)-1]
	var f *Flag
	if name, long := strings.CutPrefix(last, "--"); long {
		f = c.flags.flags[name]
	} else if len(last) == 2 && last[0] == '-' {
		f = c.flags.short[last[1:]]
	}
	if f != nil && f.Alone == "" {
		return f
	}
	return nil
}

func (c *Command) offerValue(f *Flag, before []string, typed string) (words []string, files bool) {
	if complete := c.Complete[f.Name]; complete != nil {
		return starting(complete(before, typed), typed), false
	}
	return nil, true
}

func starting(words []string, typed string) (out []string) {
	for _, w := range words {
		if strings.HasPrefix(w, typed) {
			out = append(out, w)
		}
	}
	return out
}

func (c *Command) offerFlags(typed string) (words []string) {
	for _, f := range c.flags.All() {
		if _, usage := f.Words(); !f.Hidden && strings.HasPrefix("--"+f.Name, typed) {
			words = append(words, "--"+f.Name+"\t"+usage)
		}
	}
	return words
}

func (c *Command) offerVerbs(typed string) (words []string) {
	for _, v := range c.verbs {
		if !v.Hidden && strings.HasPrefix(v.Name(), typed) {
			words = append(words, v.Name()+"\t"+v.Short)
		}
	}
	return words
}

// scripts are the programs for the shells; NAME is the command.
var scripts = map[string]string{
	"bash": `# bash completion for NAME: source <(NAME completion bash)
_NAME() {
	local line last=:0 typed=${COMP_WORDS[COMP_CWORD]}
	[ "$typed" = = ] && typed=
	COMPREPLY=()
	while IFS= read -r line; do
		case $line in
		:[0-9]*) last=$line ;;
		*) COMPREPLY+=("$(printf %q "${line%%$'\t'*}")") ;;
		esac
	done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	if [ "$last" = :0 ] && [ ${#COMPREPLY[@]} -eq 0 ]; then
		while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$typed")
		compopt -o filenames 2>/dev/null
	fi
}
complete -F _NAME NAME
`,
	"zsh": `#compdef NAME
# zsh completion for NAME: NAME completion zsh > "${fpath[1]}/_NAME"
_NAME() {
	local -a lines offers
	local line word last=:0
	lines=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
	for line in "${lines[@]}"; do
		case $line in
		:[0-9]*) last=$line ;;
		*)
			word=${${line%%$'\t'*}//:/\\:}
			[[ $line == *$'\t'* ]] && word+=":${line#*$'\t'}"
			offers+=("$word")
			;;
		esac
	done
	if (( ${#offers} )); then
		_describe NAME offers
	elif [[ $last == :0 ]]; then
		_files
	fi
}
compdef _NAME NAME
`,
	"fish": `# fish completion for NAME: NAME completion fish > ~/.config/fish/completions/NAME.fish
function __NAME_offers
	set -l words (commandline -opc)
	$words[1] __complete $words[2..-1] (commandline -ct) 2>/dev/null | string match -v -r '^:[0-9]'
end
complete -c NAME -a '(__NAME_offers)'
`,
	"powershell": `# PowerShell completion for NAME: NAME completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName NAME -ScriptBlock {
	param($typed, $ast, $cursor)
	$words = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -le $cursor } | Select-Object -Skip 1 | ForEach-Object { "$_" })
	if (-not $typed) { $words += '""' }
	& $ast.CommandElements[0].Value __complete @words 2>$null | Where-Object { $_ -notmatch '^:[0-9]' } | ForEach-Object {
		$word, $means = $_ -split [char]9, 2
		if (-not $means) { $means = $word }
		[System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $means)
	}
}
`,
}
