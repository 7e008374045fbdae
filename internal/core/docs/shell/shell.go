// Package shell reads the commands that documentation shows: the real shell
// grammar, and beside it what only people write, such as <placeholders>,
// [optional words] and one|or|the|other.
package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Word is one word of a command.
type Word struct {
	Text   string
	Offset int
	// Known: the text is what the shell would see. Placeholders, variables and
	// patterns are not known.
	Known bool
}

// Call is one simple command.
type Call struct {
	Words []Word
	// Writes are the files that it makes by redirection.
	Writes []string
}

const (
	hole = '\x01' // stands for what a placeholder is written with
	or   = '\x02' // stands for the bar between alternatives
)

// Read returns the commands of a text in the order in which they stand there.
// A text that does not parse is read line by line, and its readable lines are
// returned with the error of the whole.
func Read(text string) ([]Call, error) {
	masked := mask(text)
	calls, err := parse(masked, 0)
	if err == nil {
		return calls, nil
	}
	for at := 0; at < len(masked); {
		line, _, _ := strings.Cut(masked[at:], "\n")
		if some, err := parse(line, at); err == nil {
			calls = append(calls, some...)
		}
		at += len(line) + 1
	}
	return calls, err
}

func parse(text string, base int) ([]Call, error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, err
	}
	var calls []Call
	syntax.Walk(file, func(n syntax.Node) bool {
		s, ok := n.(*syntax.Stmt)
		if !ok {
			return true
		}
		c, ok := s.Cmd.(*syntax.CallExpr)
		if !ok || len(c.Args) == 0 {
			return true
		}
		call := Call{}
		for _, w := range c.Args {
			call.Words = append(call.Words, alternatives(word(w, base))...)
		}
		for _, r := range s.Redirs {
			if r.Word != nil && (r.Op == syntax.RdrOut || r.Op == syntax.AppOut) {
				call.Writes = append(call.Writes, word(r.Word, base).Text)
			}
		}
		calls = append(calls, call)
		return true
	})
	slices.SortStableFunc(calls, func(a, b Call) int { return a.Words[0].Offset - b.Words[0].Offset })
	return calls, nil
}

func word(w *syntax.Word, base int) Word {
	var b strings.Builder
	known := literal(&b, w.Parts)
	text := b.String()
	if strings.ContainsRune(text, hole) || text == "..." || strings.Contains(text, "…") || strings.ContainsAny(text, "*?{}") {
		known = false
	}
	return Word{strings.ReplaceAll(text, string(hole), "_"), base + int(w.Pos().Offset()), known}
}

func literal(b *strings.Builder, parts []syntax.WordPart) bool {
	known := true
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, "\\\n", ""))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			known = literal(b, p.Parts) && known
		default:
			known = false
		}
	}
	return known
}

// alternatives splits one|other. The offsets hold where nothing was quoted.
func alternatives(w Word) []Word {
	if !strings.ContainsRune(w.Text, or) {
		return []Word{w}
	}
	// What follows must not be read as a command of each, so the word as a
	// whole stays unknown; only flags can be told apart.
	var all []Word
	at := w.Offset
	for part := range strings.SplitSeq(w.Text, string(or)) {
		all = append(all, Word{part, at, w.Known && strings.HasPrefix(part, "-")})
		at += len(part) + 1
	}
	return all
}

// mask makes shell words of what only people write, byte for byte.
func mask(text string) string {
	out := []byte(text)
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '<' && (i == 0 || out[i-1] != '<'):
			if end := placeholder(text[i:]); end > 0 {
				for j := i; j <= i+end; j++ {
					if strings.IndexByte("<> |'\"&;()$`", out[j]) >= 0 {
						out[j] = hole
					}
				}
				i += end
			}
		case c == '[' && (i == 0 || strings.IndexByte(" \t\n[", out[i-1]) >= 0):
			optional(out, i)
		case c == '|' && i > 0 && i+1 < len(out) && inWord(out[i-1]) && inWord(out[i+1]):
			out[i] = or
		}
	}
	return string(out)
}

func inWord(c byte) bool {
	return c == '-' || c == '_' || c == hole || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// placeholder is the index of the > that ends a <placeholder>, 0 if there is
// none.
func placeholder(s string) int {
	if len(s) < 3 || !inWord(s[1]) && !strings.HasPrefix(s[1:], "…") {
		return 0
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '>':
			if s[i-1] == ' ' {
				return 0
			}
			return i
		case c == '\n' || c == '<' || c == '$':
			return 0
		}
	}
	return 0
}

// optional takes the brackets off [optional words]; what is no flag in them is
// a placeholder.
func optional(out []byte, at int) {
	if at+1 >= len(out) || strings.IndexByte(" [\t\n", out[at+1]) >= 0 {
		return
	}
	for i := at + 1; i < len(out) && out[i] != '\n'; i++ {
		if out[i] != ']' {
			continue
		}
		out[at], out[i] = ' ', ' '
		for j := at + 1; j < i; j++ {
			if out[j] != '-' && out[at+1] != '-' && out[j] != ' ' {
				out[j] = hole
			}
			if out[j] == '|' && inWord(out[j-1]) && inWord(out[j+1]) {
				out[j] = or
			} else if strings.IndexByte("<>|()'\"`&;", out[j]) >= 0 {
				out[j] = hole
			}
		}
		return
	}
}

// Prompts takes the commands out of a recorded session: the lines behind a
// prompt, at their places; everything else is blank.
func Prompts(text string) (commands string, found bool) {
	var b strings.Builder
	goesOn := false
	for line := range strings.Lines(text) {
		body := strings.TrimRight(line, "\n")
		trimmed := strings.TrimLeft(body, " \t")
		indent := len(body) - len(trimmed)
		prompt := strings.HasPrefix(trimmed, "$ ") || strings.HasPrefix(trimmed, "% ")
		switch {
		case prompt:
			found = true
			b.WriteString(strings.Repeat(" ", indent+2) + trimmed[2:])
		case goesOn:
			b.WriteString(body)
		default:
			b.WriteString(strings.Repeat(" ", len(body)))
		}
		goesOn = (prompt || goesOn) && strings.HasSuffix(body, "\\")
		if len(body) < len(line) {
			b.WriteByte('\n')
		}
	}
	return b.String(), found
}
