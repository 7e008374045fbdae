package command

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"warp/internal/core/text"
)

var (
	// decoders make texts in which nothing can be seen.
	decoders = text.WordSet{List: "base64 base32 xxd rev tr openssl gunzip zcat uudecode gpg hexdump od curl wget nc"}
	// evals print settings that shells are meant to eval.
	evals = text.WordSet{List: `ssh-agent gpg-agent keychain direnv pyenv rbenv nodenv goenv jenv brew conda micromamba mise
 asdf fnm opam dircolors starship zoxide minikube docker-machine luarocks register-python-argcomplete lesspipe`}
)

// print adds to what the current command prints.
func (r *reader) print(s string) {
	if r.out == nil {
		return
	}
	checkSize(r.out.Len() + len(s))
	r.out.WriteString(s)
}

// capture is what f prints.
func (r *reader) capture(f func()) string {
	before := r.out
	r.out = &strings.Builder{}
	f()
	text := r.out.String()
	r.out = before
	return text
}

// hideOutput runs f, which may print or not, or in another order.
func (r *reader) hideOutput(f func()) {
	if text := r.capture(f); text != "" {
		r.print(markOf(text))
	}
}

// substitute is the text of a command substitution.
func (r *reader) substitute(list []*syntax.Stmt) string {
	text := r.capture(func() { r.apart(func() { r.stmts(list) }) })
	return strings.TrimRight(text, "\n")
}

// substituteProcess gives <(…) a path, so that a shell can be seen to read it.
func (r *reader) substituteProcess(p *syntax.ProcSubst) string {
	text := r.capture(func() {
		r.apart(func() {
			if r.stdin = nil; p.Op == syntax.CmdOut {
				in := mark
				r.stdin = &in
			}
			r.stmts(p.Stmts)
		})
	})
	r.substs++
	name := "/dev/fd/s" + strconv.Itoa(r.substs)
	r.files[name] = text
	return name
}

// outputOf is what a program prints, or the mark for it.
func (r *reader) outputOf(base string, args []arg) string {
	stdin, _ := r.input()
	switch base {
	case "cat", "tee":
		return r.concatenate(base, args)
	case "mktemp":
		// A fresh folder: what happens there happens nowhere else.
		if _, set := r.vars["TMPDIR"]; !set && strings.Trim(joinWords(args), "-dq ") == "" {
			return "/tmp/mktemp.fresh"
		}
	case "which", "type":
		if n := len(args); n > 0 {
			return args[n-1].s
		}
	case "git":
		if n := len(args); n > 1 && args[0].s == "rev-parse" {
			// Where git's folder is is unknown, that it is guarded is not.
			switch last := args[n-1].s; {
			case last == "--git-dir" || last == "--git-common-dir" || last == "--absolute-git-dir":
				return mark + "/.git"
			case args[n-2].s == "--git-path":
				return mark + "/.git/" + last
			}
		}
	}
	switch {
	case decoders.Has(base) || strings.Contains(stdin, markGit):
		return markGit
	case evals.Has(base):
		return markSafe
	}
	return mark
}

func (r *reader) concatenate(base string, files []arg) string {
	if base == "tee" || len(files) == 0 {
		files = []arg{{s: "/dev/stdin"}}
	}
	all := ""
	for _, f := range files {
		if f.s == "-" {
			f.s = "/dev/stdin"
		}
		text, ok := r.content(f.s)
		if !ok {
			return mark
		}
		checkSize(len(all) + len(text))
		all += text
	}
	return all
}

// echo is what the shell's echo prints.
func echo(args []arg) string {
	escapes, newline := false, "\n"
	for len(args) > 0 && len(args[0].s) > 1 && args[0].s[0] == '-' && strings.Trim(args[0].s[1:], "neE") == "" {
		escapes = escapes || strings.Contains(args[0].s, "e")
		if strings.Contains(args[0].s, "n") {
			newline = ""
		}
		args = args[1:]
	}
	text := joinWords(args)
	if escapes {
		text = unescape(text)
	}
	return text + newline
}

// printf is what printf prints, for the formats of texts; other formats are a mark.
func printf(args []arg) string {
	args = dropDashes(args)
	if len(args) == 0 {
		return ""
	}
	format, args := args[0].s, args[1:]
	var b strings.Builder
	for {
		used := 0
		for i, part := range strings.Split(strings.ReplaceAll(format, "%%", "\x03"), "%") {
			if i > 0 {
				value := ""
				if used < len(args) {
					value = args[used].s
				}
				used++
				switch {
				case part == "" || strings.IndexByte("sdib", part[0]) < 0:
					value = markOf(format, value)
				case part[0] == 'b':
					value = unescape(value)
				}
				b.WriteString(value)
				part = part[min(1, len(part)):]
			}
			b.WriteString(unescape(strings.ReplaceAll(part, "\x03", "%")))
		}
		if used == 0 || used >= len(args) || b.Len() > maxText {
			return b.String()
		}
		args = args[used:]
	}
}

// unescape follows the backslashes of $'…', echo -e and printf. What Go does not
// write the same way becomes a mark.
func unescape(s string) string {
	var b strings.Builder
	for s != "" {
		if s[0] != '\\' || len(s) == 1 {
			b.WriteByte(s[0])
			s = s[1:]
			continue
		}
		if strings.IndexByte(`'"?`, s[1]) >= 0 {
			b.WriteByte(s[1])
			s = s[2:]
			continue
		}
		c, wide, tail, err := strconv.UnquoteChar(s, 0)
		switch {
		case err != nil && strings.IndexByte("xuUeE01234567c", s[1]) >= 0:
			b.WriteString(mark)
			tail = s[2:]
		case err != nil:
			b.WriteString(s[:2])
			tail = s[2:]
		case wide:
			b.WriteRune(c)
		default:
			b.WriteByte(byte(c))
		}
		s = tail
	}
	return b.String()
}
