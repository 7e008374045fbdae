package local

import (
	"errors"
	"slices"
	"strings"

	"warp/internal/core/issuefile"
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
	d.head.end = lineEnd(text)
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
		end := lineEnd(d.tail)
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
