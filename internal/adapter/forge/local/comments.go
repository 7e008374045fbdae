package local

import (
	"fmt"
	"strings"
	"time"
)

type comment struct {
	author, body string
	at           time.Time
}

const commentsHeading = "## Comments"

// commentsAt is where the section of comments begins, with the blank line
// before it; -1: there is none. It is the last thing of a file.
func commentsAt(text string) int {
	start, at := -1, 0
	for line := range strings.Lines(text) {
		if strings.TrimRight(line, " \t\r\n") == commentsHeading {
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

// onlyComments tells a section of comments, also an empty one, from a heading
// of somebody's own with words below it.
func onlyComments(section string) bool {
	first := true
	for line := range strings.Lines(section) {
		if first || strings.TrimSpace(line) == "" {
			first = false
			continue
		}
		_, ok := signature(line)
		return ok
	}
	return true
}

// signature reads "### author, time".
func signature(line string) (comment, bool) {
	rest, ok := strings.CutPrefix(strings.TrimRight(line, " \t\r\n"), "### ")
	cut := strings.LastIndex(rest, ", ")
	if !ok || cut < 0 {
		return comment{}, false
	}
	at, err := time.Parse(time.RFC3339, rest[cut+2:])
	return comment{author: strings.TrimSpace(rest[:cut]), at: at}, err == nil
}

func parseComments(section string) []comment {
	var list []comment
	var lines []string
	end := func() {
		if len(list) > 0 {
			list[len(list)-1].body = unindent(lines)
		}
		lines = nil
	}
	for line := range strings.Lines(section) {
		if c, ok := signature(line); ok {
			end()
			list = append(list, c)
			continue
		}
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	end()
	return list
}

const indentation = "    "

// unindent is the text of a comment: what was written here is indented, what
// was written by hand may be not.
func unindent(lines []string) string {
	if len(lines) > 0 && strings.TrimRight(lines[0], "\r") == "" {
		lines = lines[1:]
	}
	all := true
	for _, l := range lines {
		all = all && (blank(l) || strings.HasPrefix(l, indentation))
	}
	var out []string
	for _, l := range lines {
		if all {
			l = strings.TrimPrefix(l, indentation)
		}
		out = append(out, l)
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\r\n")
}

func blank(line string) bool { return strings.TrimRight(line, "\r") == "" }

// say appends a comment.
func (d *document) say(author, text string, at time.Time) {
	if d.tail == "" {
		d.tail = "\n\n" + commentsHeading + "\n"
	} else if !strings.HasSuffix(d.tail, "\n") {
		d.tail += "\n"
	}
	d.tail += fmt.Sprintf("\n### %s, %s\n\n", strings.Join(strings.Fields(author), " "), at.UTC().Format(time.RFC3339))
	for _, line := range strings.Split(strings.TrimRight(text, "\r\n"), "\n") {
		if !blank(line) {
			line = indentation + line
		}
		d.tail += line + "\n"
	}
}
