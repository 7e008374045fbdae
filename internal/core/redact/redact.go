// Package redact takes secrets out of text that is kept or shown. It knows the
// values of the environment's secrets, and whatever a detector finds besides; it
// works a line at a time, and looks at a text once for each secret, which is
// little where there are few. What is not known to be a secret stays: nothing here
// makes a text safe to publish.
package redact

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Mark stands where a secret stood.
const Mark = "[redacted]"

// least is how long a value must be to be taken for a secret: shorter ones stand
// in texts by chance.
const least = 8

// Redactor takes secrets out of texts. A nil one leaves them as they are. It may
// be used by many at once.
type Redactor struct {
	// Find finds other secrets in a text; nil: there is nothing to find.
	Find func(string) []string

	known []string // the longest first, so that none is left half
	bytes [][]byte
}

// New knows the secrets of an environment: the values of variables whose names
// say so, and passwords in URLs.
func New(environ []string) *Redactor {
	r := &Redactor{}
	for _, v := range Values(environ) {
		r.add(v.Text)
	}
	slices.SortFunc(r.known, func(a, b string) int { return len(b) - len(a) })
	for _, s := range r.known {
		r.bytes = append(r.bytes, []byte(s))
	}
	return r
}

// add makes a value known, as it is and as it stands in JSON. Of one with many
// lines each line is a secret, since texts come in lines.
func (r *Redactor) add(value string) {
	value = strings.TrimSpace(value)
	spellings := []string{value, escaped(value, true), escaped(value, false)}
	if strings.Contains(value, "\n") {
		spellings = append(spellings, strings.Split(value, "\n")...)
	}
	for _, s := range spellings {
		if s = strings.TrimSpace(s); len(s) >= least && !slices.Contains(r.known, s) {
			r.known = append(r.known, s)
		}
	}
}

// escaped is a value as it stands within a JSON string, with or without the
// escapes that HTML asks for. It is as encoding/json spells it, which the hook is
// linked without.
func escaped(value string, html bool) string {
	var b strings.Builder
	for i, r := range value {
		at := strings.IndexRune("\"\\\b\f\n\r\t", r)
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(value[i:], string(utf8.RuneError)):
			b.WriteString(`\ufffd`)
		case at >= 0:
			b.WriteByte('\\')
			b.WriteByte(`"\bfnrt`[at])
		case r < ' ' || r == '\u2028' || r == '\u2029' || html && (r == '<' || r == '>' || r == '&'):
			b.WriteString(`\u` + strconv.FormatInt(0x10000+int64(r), 16)[1:])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// String is a text without its secrets.
func (r *Redactor) String(text string) string {
	if r == nil {
		return text
	}
	for _, s := range r.known {
		text = strings.ReplaceAll(text, s, Mark)
	}
	if r.Find == nil {
		return text
	}
	for _, s := range r.Find(text) {
		if s != "" {
			text = strings.ReplaceAll(text, s, Mark)
		}
	}
	return text
}

// Bytes is a line without its secrets. A line that has none is returned as it
// is, not copied.
func (r *Redactor) Bytes(line []byte) []byte {
	if r == nil {
		return line
	}
	if r.Find != nil {
		text := string(line)
		if clean := r.String(text); clean != text {
			return []byte(clean)
		}
		return line
	}
	for _, s := range r.bytes {
		if bytes.Contains(line, s) {
			line = bytes.ReplaceAll(line, s, []byte(Mark))
		}
	}
	return line
}
