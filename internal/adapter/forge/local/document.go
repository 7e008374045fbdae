package local

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/issuefile"
	short "warp/internal/core/text"
)

// document is a parsed file; its parts put together again are the same bytes:
//
//	---
//	title: A title
//	labels: req, approved
//	state: open
//	---
//
//	body
//
//	## Comments
//
//	### ada, 2026-01-02T03:04:05Z
//
//	    text, indented so that nothing in it is taken for anything else
type document struct {
	head     header // empty if there is none
	gap      string // the blank line after it
	body     string
	tail     string // the comments, with the blank line before them
	comments []comment
}

func (d *document) String() string { return d.head.text() + d.gap + d.body + d.tail }

// parse parses a file. Its errors name the line.
func parse(text string) (*document, error) {
	parts, err := issuefile.Split(text)
	if err != nil {
		return nil, err
	}
	d := &document{gap: parts.Gap, body: parts.Body, tail: parts.Comments}
	if d.head, err = parseHeader(parts.Front); err != nil {
		return nil, err
	}
	d.head.end = short.LineEnd(text)
	if d.tail != "" {
		d.comments = parseComments(d.tail)
	}
	return d, nil
}

// setBody sets another body. If the body looks like another part of a file, it adds separators.
func (d *document) setBody(body string) error {
	next := *d
	next.body = body
	for _, more := range []func(*document){func(*document) {}, addBlankLines, addHeader, addCommentsHeading} {
		more(&next)
		if again, err := parse(next.String()); err == nil && again.body == body && len(again.comments) == len(d.comments) {
			*d = next
			return nil
		}
	}
	return errors.New("the text cannot be kept in a file without changing it")
}

// addBlankLines puts blank lines around the body.
func addBlankLines(d *document) {
	if n := len(d.head.lines); d.gap == "" && n > 0 {
		d.gap = d.head.lineEnd()
		if last := d.head.lines[n-1]; !strings.HasSuffix(last, "\n") {
			d.head.lines = append(slices.Clone(d.head.lines[:n-1]), last+d.head.lineEnd())
		}
	}
	if d.tail != "" {
		end := short.LineEnd(d.tail)
		d.tail = end + end + strings.TrimLeft(d.tail, "\r\n")
	}
}

// addHeader keeps a body from being parsed as front matter.
func addHeader(d *document) {
	d.head.open()
	d.gap = d.head.lineEnd()
}

// addCommentsHeading keeps the end of a body from being parsed as comments.
func addCommentsHeading(d *document) {
	if d.tail == "" {
		end := d.head.lineEnd()
		d.tail = end + end + issuefile.CommentsHeading + end
	}
}

type comment struct {
	author, body string
	at           time.Time
}

func parseComments(section string) []comment {
	end := short.LineEnd(section)
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
	end := short.LineEnd(d.tail)
	if d.tail == "" {
		end = short.LineEnd(d.String())
		d.tail = end + end + issuefile.CommentsHeading + end
	} else if !strings.HasSuffix(d.tail, "\n") {
		d.tail += end
	}
	d.tail += fmt.Sprintf("%s### %s, %s%s%s", end, strings.Join(strings.Fields(author), " "), at.UTC().Format(time.RFC3339), end, end) + indent(text, end)
}

// rewriteComment gives a comment another text; the others stay as they are.
func (d *document) rewriteComment(n int, text string) {
	end := short.LineEnd(d.tail)
	var before, after strings.Builder
	at := -1 // the comment of the line
	for line := range strings.Lines(d.tail) {
		if _, _, ok := issuefile.Signature(line); ok {
			at++
			if at == n {
				before.WriteString(line)
			}
		}
		switch {
		case at < n:
			before.WriteString(line)
		case at > n:
			after.WriteString(line)
		}
	}
	d.tail = before.String() + end + indent(text, end)
	if after.Len() > 0 {
		d.tail += end + after.String()
	}
}

// indent returns the lines of a comment.
func indent(text, end string) (lines string) {
	for _, line := range strings.Split(strings.TrimRight(text, "\r\n"), "\n") {
		if end == "\r\n" {
			line = strings.TrimSuffix(line, "\r")
		}
		if !blank(line) {
			line = indentation + line
		}
		lines += line + end
	}
	return lines
}
