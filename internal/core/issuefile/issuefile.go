// Package issuefile splits the file of a local issue into front matter, text and comments. The
// parts joined again are the same bytes. Callers interpret them.
package issuefile

import (
	"fmt"
	"strings"
	"time"
)

// Rule precedes and follows the front matter.
const Rule = "---"

// CommentsHeading is the first line of the comments.
const CommentsHeading = "## Comments"

// Parts are the parts of a file, in order.
type Parts struct {
	Front    string // including its rules and line ends; "" if there is none
	Gap      string // the blank line after it
	Body     string
	Comments string // including the blank line before them; "" if there are none
}

// Split splits a file. Unterminated front matter is an error.
func Split(text string) (Parts, error) {
	p := Parts{Body: text}
	end, err := frontEnd(text)
	if err != nil {
		return p, err
	}
	if end > 0 {
		p.Front, p.Body = text[:end], text[end:]
		p.Gap = blankLine(p.Body)
		p.Body = p.Body[len(p.Gap):]
	}
	if at := commentsAt(p.Body); at >= 0 {
		p.Body, p.Comments = p.Body[:at], p.Body[at:]
	}
	return p, nil
}

// Title returns the title from the front matter, or else the text's first heading or line.
func (p Parts) Title() string {
	for line := range strings.Lines(p.Front) {
		if title, ok := strings.CutPrefix(line, "title:"); ok {
			return strings.Trim(strings.TrimSpace(title), `"'`)
		}
	}
	for line := range strings.Lines(p.Body) {
		line = strings.TrimSpace(line)
		if title := strings.TrimSpace(strings.TrimLeft(line, "#")); title != "" && !strings.HasPrefix(line, "- [") {
			return title
		}
	}
	return ""
}

// frontEnd returns where the front matter ends; 0 if there is none.
func frontEnd(text string) (int, error) {
	at := 0
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, " \t\r\n")
		if at == 0 && strings.TrimPrefix(bare, "\ufeff") != Rule { // editors may begin a file with a byte order mark
			return 0, nil
		}
		first := at == 0
		at += len(line)
		if !first && bare == Rule {
			return at, nil
		}
	}
	if at == 0 {
		return 0, nil
	}
	return 0, fmt.Errorf("line 1: the front matter that begins with %s is never ended by another %s", Rule, Rule)
}

func blankLine(s string) string {
	for _, end := range []string{"\n", "\r\n"} {
		if strings.HasPrefix(s, end) {
			return end
		}
	}
	return ""
}

// commentsAt returns where the section of comments begins, including the blank line before it; -1
// if there is none. It comes last in a file.
func commentsAt(text string) int {
	start, at := -1, 0
	for line := range strings.Lines(text) {
		if strings.TrimRight(line, " \t\r\n") == CommentsHeading {
			start = at
		}
		at += len(line)
	}
	if start < 0 || !onlyComments(text[start:]) {
		return -1
	}
	before := text[:start]
	for _, sep := range []string{"\n\n", "\r\n\r\n", "\r\n", "\n"} {
		if strings.HasSuffix(before, sep) {
			return start - len(sep)
		}
	}
	return start
}

// onlyComments reports whether a section holds comments, or nothing, rather than a person's text
// below the same heading.
func onlyComments(section string) bool {
	first := true
	for line := range strings.Lines(section) {
		if first || strings.TrimSpace(line) == "" {
			first = false
			continue
		}
		_, _, ok := Signature(line)
		return ok
	}
	return true
}

// Signature reads the line above a comment, "### author, time".
func Signature(line string) (author string, at time.Time, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimRight(line, " \t\r\n"), "### ")
	cut := strings.LastIndex(rest, ", ")
	if !ok || cut < 0 {
		return "", at, false
	}
	at, err := time.Parse(time.RFC3339, rest[cut+2:])
	return strings.TrimSpace(rest[:cut]), at, err == nil
}
