package progressfile

import (
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/text"
)

// least is the smallest limit that Condense applies.
const least = 2048

// maxCondensed limits a condensed section, without its mark.
const maxCondensed = 160

// Condense shortens the file to at most that many bytes, and returns what it removed, for the
// caller to keep elsewhere: nothing that people and agents wrote is lost. A file that is small
// enough stays unchanged.
//
// The patterns, and anything else before the first section, may take half of the limit (keeping the
// newest lines), the lines above them a quarter. The newest sections stay whole; each older one
// becomes a line under "Earlier", and if there are too many lines the oldest are only counted.
func Condense(text string, most int) (condensed, dropped string) {
	most = max(most, least)
	if len(text) <= most {
		return text, ""
	}
	p := read(text)
	var out strings.Builder // what was removed
	take := func(block string) {
		if block = strings.Trim(block, "\n"); block != "" {
			out.WriteString(block + "\n\n" + rule + "\n\n")
		}
	}
	if len(p.top) > most/4 {
		take(p.top)
		p.top = head(p.top, most/4)
	}
	if len(p.patterns) > most/2 {
		take(p.patterns)
		const note = patterns + "\n(older ones are in the full text)\n"
		p.patterns = note + tail(p.patterns, most/2-len(note))
	}
	header := strings.Trim(strings.TrimRight(p.top, "\n")+"\n\n"+p.patterns, "\n")
	left := most - len(header) - len("\n\n"+rule+"\n")

	whole := len(p.sections)
	for room := left * 3 / 4; whole > 0 && room >= size(p.sections[whole-1]); whole-- {
		room -= size(p.sections[whole-1])
	}
	for _, s := range p.sections[whole:] {
		left -= size(s)
	}
	for _, s := range p.sections[:whole] {
		take(s)
	}
	take(p.lines.fit(p.sections[:whole], left))

	return join(append([]string{header, p.lines.String()}, p.sections[whole:]...)), out.String()
}

// size returns how many bytes a section takes in the file.
func size(section string) int { return len(section) + len("\n\n"+rule+"\n\n") }

// join joins blocks, with a rule after each.
func join(blocks []string) string {
	var b strings.Builder
	for _, block := range blocks {
		if block = strings.Trim(block, "\n"); block == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString(block + "\n\n" + rule + "\n")
	}
	return b.String()
}

// page is a parsed file.
type page struct {
	top      string // above the patterns
	patterns string // and what follows, up to the first section
	lines    summary
	sections []string // oldest first
}

// read parses a file. A section begins with a heading after a rule; any other rule belongs to
// someone's text. Patterns count anywhere.
func read(text string) page {
	var p page
	for i, block := range split(text) {
		heading, body, _ := strings.Cut(block, "\n")
		switch {
		case block == "":
		case i == 0 && heading != patterns:
			at := strings.Index(block, "\n"+patterns+"\n")
			if at < 0 {
				p.top = block
				break
			}
			p.top, p.patterns = block[:at+1], block[at+1:]
		case heading == patterns:
			if p.patterns != "" {
				p.patterns = strings.TrimRight(p.patterns, "\n") + "\n" + body
			} else {
				p.patterns = block
			}
		case heading == earlier:
			p.lines.read(body)
		default:
			p.sections = append(p.sections, block)
		}
	}
	return p
}

// split splits a file at the rules between its sections.
func split(text string) []string {
	var blocks []string
	var block []string
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if l == rule && begins(lines[i+1:]) {
			blocks = append(blocks, strings.Trim(strings.Join(block, "\n"), "\n"))
			block = nil
			continue
		}
		block = append(block, l)
	}
	return append(blocks, strings.Trim(strings.Join(block, "\n"), "\n"))
}

// begins reports whether a section, or nothing, follows.
func begins(lines []string) bool {
	for _, l := range lines {
		if l != "" {
			return strings.HasPrefix(l, "## ")
		}
	}
	return true
}

// head returns the beginning of a text in at most that many bytes: whole lines, or the beginning of
// the first.
func head(s string, most int) string {
	if s = text.Clip(s, most-1); strings.Contains(s, "\n") {
		s = s[:strings.LastIndexByte(s, '\n')]
	}
	return s + "\n"
}

// tail returns the end of a text in at most that many bytes: whole lines, or the end of the last.
func tail(s string, most int) string {
	s = s[max(0, len(s)-most):]
	if _, rest, ok := strings.Cut(s, "\n"); ok && strings.TrimSpace(rest) != "" {
		return rest
	}
	return strings.ToValidUTF8(s, "")
}

// summary is the block of condensed sections.
type summary struct {
	lines []string // oldest first
	gone  int      // older ones that are only counted
}

const goneLine = "(%d older ones are in the full text)"

func (s *summary) read(body string) {
	for l := range strings.Lines(body) {
		l = strings.TrimRight(l, "\n")
		if n := counted(l); n > 0 {
			s.gone += n
		} else if strings.TrimSpace(l) != "" {
			s.lines = append(s.lines, l)
		}
	}
}

// ours reports whether a line is a condensed section, by its mark.
func ours(line string) bool {
	return strings.HasPrefix(line, "- ") && strings.HasSuffix(line, " -->")
}

// counted reads the line with the count; 0 if it is another line.
func counted(line string) int {
	var n int
	if _, err := fmt.Sscanf(line, goneLine, &n); err != nil || n > 1e9 || line != fmt.Sprintf(goneLine, n) {
		return 0
	}
	return n
}

// fit adds sections and drops the oldest lines until the block fits. It returns the dropped lines
// that others wrote: our own condense sections that were removed before.
func (s *summary) fit(sections []string, room int) string {
	for _, section := range sections {
		s.lines = append(s.lines, condensed(section))
	}
	first := len(s.lines)
	for n := size(earlier + "\n" + fmt.Sprintf(goneLine, s.gone+len(s.lines))); first > 0; first-- {
		if n += len(s.lines[first-1]) + 1; n > room {
			break
		}
	}
	theirs := slices.DeleteFunc(slices.Clone(s.lines[:first]), ours)
	s.lines, s.gone = s.lines[first:], s.gone+first
	return strings.Join(theirs, "\n")
}

// String returns the block; "" if it is empty.
func (s *summary) String() string {
	if s.gone == 0 && len(s.lines) == 0 {
		return ""
	}
	text := earlier + "\n"
	if s.gone > 0 {
		text += fmt.Sprintf(goneLine, s.gone) + "\n"
	}
	return text + strings.Join(s.lines, "\n")
}

// condensed returns a section on one line: its title and its first words.
func condensed(section string) string {
	heading, body, _ := strings.Cut(section, "\n")
	line, mark := strings.TrimPrefix(heading, "## "), ""
	said := ""
	for l := range strings.Lines(body) {
		l = strings.TrimRight(l, "\r\n")
		switch {
		case strings.HasPrefix(l, "<!-- ") && strings.HasSuffix(l, " -->") && len(l) <= maxCondensed:
			mark = " " + l
		case said == "":
			said = strings.TrimPrefix(strings.TrimSpace(l), "- ")
		}
	}
	if said != "" {
		line += ": " + said
	}
	return "- " + text.Clip(line, maxCondensed) + mark
}
