package local

import (
	"fmt"
	"strings"
	"time"

	"warp/internal/core/issuefile"
)

type comment struct {
	author, body string
	at           time.Time
}

func parseComments(section string) []comment {
	end := lineEnd(section)
	var list []comment
	var lines []string
	done := func() {
		if len(list) > 0 {
			list[len(list)-1].body = unindent(lines)
		}
		lines = nil
	}
	for line := range strings.Lines(section) {
		if author, at, ok := issuefile.Signature(line); ok {
			done()
			list = append(list, comment{author: author, at: at})
			continue
		}
		lines = append(lines, strings.TrimSuffix(strings.TrimSuffix(line, end), "\n"))
	}
	done()
	return list
}

const indentation = "    "

// unindent returns the text of a comment. This package indents comments; people may not.
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

// addComment appends a comment with the file's line ends.
func (d *document) addComment(author, text string, at time.Time) {
	end := lineEnd(d.tail)
	if d.tail == "" {
		end = lineEnd(d.String())
		d.tail = end + end + issuefile.CommentsHeading + end
	} else if !strings.HasSuffix(d.tail, "\n") {
		d.tail += end
	}
	d.tail += fmt.Sprintf("%s### %s, %s%s%s", end, strings.Join(strings.Fields(author), " "), at.UTC().Format(time.RFC3339), end, end)
	for _, line := range strings.Split(strings.TrimRight(text, "\r\n"), "\n") {
		if end == "\r\n" {
			line = strings.TrimSuffix(line, "\r")
		}
		if !blank(line) {
			line = indentation + line
		}
		d.tail += line + end
	}
}

// lineEnd returns the line end of a text, as in its first line.
func lineEnd(text string) string {
	if line, _, found := strings.Cut(text, "\n"); found && strings.HasSuffix(line, "\r") {
		return "\r\n"
	}
	return "\n"
}
