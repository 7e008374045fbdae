package scope

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"unicode"
)

// Reformatted reads a patch of changed files, as git writes it with three lines of context, and
// returns for each file, in the patch's order, how many lines its hunks change that change white
// space only. Lines that are joined or split count. White space that means something does not: in
// quotes, at the end of the file, and how lines are indented where that is syntax.
func Reformatted(patch []byte) (counts []int) {
	var h hunk
	indents := false
	flush := func() {
		if n := len(counts); n > 0 && h.isSpaceOnly() {
			counts[n-1] += h.lines
		}
		h = hunk{indents: indents}
	}
	for line := range bytes.Lines(patch) {
		switch {
		case bytes.HasPrefix(line, []byte("diff --git ")):
			flush()
			counts = append(counts, 0)
			continue
		case bytes.HasPrefix(line, []byte("@@ ")):
			flush()
			h.open = true
			continue
		case !h.open && bytes.HasPrefix(line, []byte("+++ ")):
			indents = isIndented(strings.TrimRight(string(line), "\"\t\r\n"))
			h.indents = indents
		}
		if !h.open {
			continue
		}
		text := strings.TrimSuffix(string(line[1:]), "\n")
		switch line[0] {
		case '-':
			h.old.add(text, true)
		case '+':
			h.now.add(text, true)
		case ' ':
			h.old.add(text, false)
			h.now.add(text, false)
		}
	}
	flush()
	return counts
}

// hunk is a part of a patch.
type hunk struct {
	open, indents bool // indents: indentation is syntax
	old, now      side
	lines         int
}

// side is a hunk's text before or after.
type side struct {
	text, blocks strings.Builder // without white space; how each line is indented below the others
	raw          strings.Builder // the changed lines as they are
	levels       []int
	changed      int
}

func (s *side) add(line string, changed bool) {
	if changed {
		s.raw.WriteString(line + "\n")
		s.changed++
	}
	words := strings.TrimLeftFunc(line, unicode.IsSpace)
	s.text.WriteString(squeeze(words))
	if words == "" {
		return
	}
	in := 0
	for _, r := range line[:len(line)-len(words)] {
		if in++; r == '\t' {
			in += 7 - (in-1)%8
		}
	}
	for len(s.levels) > 0 && s.levels[len(s.levels)-1] > in {
		s.levels = s.levels[:len(s.levels)-1]
	}
	if len(s.levels) == 0 || s.levels[len(s.levels)-1] < in {
		s.levels = append(s.levels, in)
	}
	s.blocks.WriteByte(byte('a' + min(len(s.levels), 25)))
}

// isSpaceOnly reports whether the hunk changes white space and nothing else.
func (h *hunk) isSpaceOnly() bool {
	if h.old.text.String() != h.now.text.String() || h.old.raw.String() == h.now.raw.String() {
		return false
	}
	if h.indents && h.old.blocks.String() != h.now.blocks.String() {
		return false
	}
	h.lines = max(h.old.changed, h.now.changed)
	return true
}

// squeeze returns a line without white space outside of quotes.
func squeeze(line string) string {
	if strings.TrimSpace(line) == line && !strings.ContainsAny(line, " \t") {
		return line
	}
	quote := rune(0)
	return strings.Map(func(r rune) rune {
		switch {
		case quote == 0 && unicode.IsSpace(r):
			return -1
		case quote == 0 && strings.ContainsRune("\"'`", r):
			quote = r
		case r == quote:
			quote = 0
		}
		return r
	}, strings.TrimRightFunc(line, unicode.IsSpace))
}

// isIndented reports whether indentation is syntax in a file.
func isIndented(name string) bool {
	return slices.Contains([]string{".py", ".pyi", ".yml", ".yaml", ".mk", ".coffee", ".sass", ".pug", ".nim", ".hs", ".fs", ".rst", ".gd"}, strings.ToLower(path.Ext(name))) ||
		strings.EqualFold(path.Base(name), "Makefile")
}
