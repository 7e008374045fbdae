package command

import (
	"strings"

	"warp/internal/core/lexicon"
)

var (
	interpreters = lexicon.Set{List: `python node nodejs deno bun perl ruby php lua luajit rscript r tclsh expect osascript pwsh
 powershell groovy julia elixir erl runghc irb ipython scala jshell pypy tsx ts-node guile racket`}
	awks    = lexicon.Set{List: "awk gawk mawk nawk"}
	editors = lexicon.Set{List: "vi vim nvim ex ed emacs gdb"}
	// carriers hand a text on to a shell, some other time or some other place.
	carriers = lexicon.Set{List: "tmux screen at batch crontab ssh mosh parallel watch entr script wish"}
	codeOpts = lexicon.Set{List: "--eval --command -command --print eval"}
)

// foreign looks at programs that run texts of their own. Only what stands on the command
// line or comes by the input is looked at: files of programs talk about git more often
// than they call it, and what they do git's own hooks see.
func (r *reader) foreign(base string, args []arg) bool {
	switch {
	case interpreters.Has(strings.TrimRight(base, "0123456789.")):
		r.interpreter(base, args)
	case awks.Has(base):
		r.suspect(args, "an awk program that names git", func(s string) bool {
			return hasAny(strings.ReplaceAll(s, " ", ""), `system(`, `|"`, `"|`) && nearGit(s) || strings.Contains(s, ">") && namesOwn(s)
		})
	case base == "sed" || base == "gsed":
		r.suspect(args, "a sed script that runs commands", func(s string) bool { return mentionsGit(s) && sedRuns(s) })
		r.sed(args)
	case editors.Has(base):
		r.suspect(args, "an editor is given a git command", runsInEditor)
		r.suspectInput(runsInEditor)
	case carriers.Has(base):
		words := make([]string, len(args))
		for i, a := range args {
			words[i] = a.s
		}
		if nearGit(strings.Join(words, " ")) {
			r.unknown("a git command is handed on to " + base)
			return true
		}
		r.suspectInput(nearGit)
	default:
		return false
	}
	return true
}

func (r *reader) suspect(args []arg, why string, bad func(string) bool) {
	for _, a := range args {
		if bad(a.s) {
			r.unknown(why)
			return
		}
	}
}

func (r *reader) suspectInput(bad func(string) bool) {
	if text, _ := r.stdin.get(); bad(text) {
		r.unknown("a program reads a text that runs git")
	}
}

func runsInEditor(s string) bool { return nearGit(s) && hasAny(s, "!", "system", "shell") }

func hasAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// interpreter looks at code that is given as an argument or by the input.
func (r *reader) interpreter(base string, args []arg) {
	edits := strings.HasPrefix(base, "perl") || strings.HasPrefix(base, "ruby")
	bad := func(code string) bool { return runsGit(base, code) }
	for i, a := range args {
		s := a.s
		switch {
		case s == "-m" || s == "--module":
			return
		case strings.HasPrefix(s, "-") && bad(s), isCode(s) && i+1 < len(args) && bad(args[i+1].s):
			r.unknown("a program in another language that runs git")
			return
		case edits && len(s) > 1 && s[0] == '-' && s[1] != '-' && strings.Contains(s, "i"):
			r.inPlace(args[i:], bad)
			return
		case isCode(s):
			return
		case s != "" && s[0] != '-':
			if f := r.files[r.key(s)]; bad(f.text) { // of this very command
				r.unknown("a program in another language that runs git")
			}
			return
		}
	}
	r.suspectInput(bad)
}

// isCode tells an option after which code follows: -c, -e, -ne, -pe, --eval.
func isCode(s string) bool {
	if codeOpts.Has(s) {
		return true
	}
	return len(s) > 1 && len(s) < 6 && s[0] == '-' && s[1] != '-' && strings.IndexByte("ceErp", s[len(s)-1]) >= 0
}

// runsGit tells code that names a change of a repository beside something that starts
// programs; printing the same words is nobody's concern.
func runsGit(base, code string) bool {
	if strings.Contains(code, dynGit) {
		return true
	}
	return nearGit(code) && startsPrograms(base, code)
}

func startsPrograms(base, code string) bool {
	quoted := base == "perl" || base == "ruby" || base == "php" // in which it is run
	return hasAny(strings.ToLower(code), "system", "popen", "exec", "spawn", "subprocess", "child_process", "run(", "call(", "open3", "%x", "qx", "passthru", "shell", "sh(") ||
		quoted && strings.Contains(code, "`")
}

// inPlace notes the files that perl -i changes: those after its code.
func (r *reader) inPlace(args []arg, bad func(string) bool) {
	code := false
	for i := 0; i < len(args); i++ {
		s := args[i].s
		if strings.HasPrefix(s, "-") {
			if strings.HasSuffix(s, "e") || strings.HasSuffix(s, "E") {
				if i, code = i+1, true; i < len(args) && bad(args[i].s) {
					r.unknown("a program in another language that runs git")
				}
			}
			continue
		}
		if code {
			r.touch(args[i])
		}
		code = true
	}
}

// sed notes the files that sed -i changes: all arguments, but for the script.
func (r *reader) sed(args []arg) {
	l := parseLine(args, "efl", "expression file line-length")
	if !l.has("-i", "--in-place") {
		return
	}
	rest := l.rest
	if len(rest) > 0 && rest[0].s == "" {
		rest = rest[1:] // BSD's suffix
	}
	if !l.has("-e", "--expression", "-f", "--file") && len(rest) > 0 {
		rest = rest[1:]
	}
	r.touchAll(rest)
}

// sedRuns tells GNU sed's e: a command of its own, or a flag of s.
func sedRuns(s string) bool {
	for part := range strings.FieldsFuncSeq(s, func(c rune) bool { return c == ';' || c == '\n' }) {
		part = strings.TrimLeft(part, " \t0123456789,$!{")
		if strings.HasPrefix(part, "e ") || strings.HasPrefix(part, "/") && strings.Contains(part, "/e ") {
			return true
		}
		if len(part) > 3 && part[0] == 's' {
			flags := part[strings.LastIndexByte(part, part[1])+1:]
			if strings.Trim(flags, "gpiIemM0123456789}") == "" && strings.Contains(flags, "e") {
				return true
			}
		}
	}
	return false
}
