package criteria

import "strings"

// cursor moves through a line by columns, as tabs require.
type cursor struct {
	text    string
	at, col int
	pad     int // remaining columns of a tab that was cut
}

func (c *cursor) rest() string { return c.text[c.at:] }

func (c *cursor) blank() bool { return strings.Trim(c.rest(), " \t") == "" }

// indent returns how many columns of white space come next.
func (c *cursor) indent() int {
	col := c.col + c.pad
	for _, b := range []byte(c.rest()) {
		switch b {
		case ' ':
			col++
		case '\t':
			col += 4 - col%4
		default:
			return col - c.col
		}
	}
	return col - c.col
}

// skip moves over columns of white space.
func (c *cursor) skip(n int) {
	n = min(n, c.indent())
	for n > 0 {
		if c.pad == 0 {
			c.pad = 1
			if c.text[c.at] == '\t' {
				c.pad = 4 - c.col%4
			}
			c.at++
		}
		step := min(n, c.pad)
		c.pad, c.col, n = c.pad-step, c.col+step, n-step
	}
}

// quote moves over the marker of a block quote.
func (c *cursor) quote() bool {
	n := c.indent()
	if n >= 4 || !strings.HasPrefix(strings.TrimLeft(c.rest(), " \t"), ">") {
		return false
	}
	c.skip(n)
	c.at, c.col = c.at+1, c.col+1
	c.skip(1)
	return true
}

// item moves over the marker of a list item and returns how far its text is indented.
func (c *cursor) item() (width int, ok bool) {
	before := c.indent()
	rest := strings.TrimLeft(c.rest(), " \t")
	mark := 1
	if digits := len(rest) - len(strings.TrimLeft(rest, "0123456789")); digits > 0 {
		mark = digits + 1
		if digits > 9 || len(rest) < mark || rest[digits] != '.' && rest[digits] != ')' {
			return 0, false
		}
	} else if !strings.ContainsRune("-*+", rune(rest[0])) || isRule(rest) {
		return 0, false
	}
	if len(rest) > mark && rest[mark] != ' ' && rest[mark] != '\t' {
		return 0, false
	}
	c.skip(before)
	c.at, c.col = c.at+mark, c.col+mark
	after := c.indent()
	if after > 4 || c.blank() { // code follows, or nothing
		after = 1
	}
	c.skip(after)
	return before + mark + after, true
}

// isRule reports whether a line is a horizontal rule.
func isRule(line string) bool {
	line = strings.TrimLeft(line, " \t")
	if line == "" || !strings.Contains("-*_", line[:1]) {
		return false
	}
	return strings.Trim(line, line[:1]+" \t") == "" && strings.Count(line, line[:1]) >= 3
}

// endsParagraph reports whether a line ends a paragraph without being text.
func endsParagraph(line string) bool {
	rest := strings.TrimLeft(line, "#")
	n := len(line) - len(rest)
	return n > 0 && n <= 6 && (rest == "" || rest[0] == ' ' || rest[0] == '\t') || isRule(line)
}

// leafOf returns what a line begins.
func leafOf(line string) (kind leaf, run string) {
	if run := runOf(line); run != "" && (run[0] == '~' || !strings.Contains(line[len(run):], "`")) {
		return fenced, run
	}
	if strings.HasPrefix(line, "<!--") {
		return comment, ""
	}
	lower := strings.ToLower(line[:min(len(line), 10)])
	for _, tag := range rawTags {
		if rest, ok := strings.CutPrefix(lower, "<"+tag); ok && (rest == "" || strings.ContainsRune(" \t>", rune(rest[0]))) {
			return raw, ""
		}
	}
	return prose, ""
}

// runOf returns the run of three or more backticks or tildes that a line begins with.
func runOf(line string) string {
	for _, mark := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// rawTags are the elements whose text is not Markdown.
var rawTags = [...]string{"pre", "script", "style", "textarea"}

func endsRaw(line string) bool {
	lower := strings.ToLower(line)
	for _, tag := range rawTags {
		if strings.Contains(lower, "</"+tag+">") {
			return true
		}
	}
	return false
}
