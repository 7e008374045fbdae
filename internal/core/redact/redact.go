// Package redact removes secrets from text that is kept or shown. It knows the values of the
// environment's secrets, and whatever a detector finds; it works line by line, and scans a text
// once per secret, which is cheap if there are few. Unknown secrets stay: nothing here makes a text
// safe to publish.
package redact

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Mark replaces a secret.
const Mark = "[redacted]"

// least is the minimum length of a value that counts as a secret: shorter ones appear in texts by
// chance.
const least = 8

// Redactor removes secrets from texts. A nil one leaves them unchanged. It is safe for concurrent
// use.
type Redactor struct {
	// Find finds other secrets in a text; nil: none.
	Find func(string) []string

	known []string // longest first, so that none is left half
	bytes [][]byte
}

// New returns a Redactor for the secrets of an environment: the values of variables whose names say
// so, and passwords in URLs.
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

// add adds a value, as it is and as in JSON. Each line of a multi-line value is a secret, since
// texts come in lines.
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

// escaped returns a value as it is spelled within a JSON string, with or without HTML escapes. It
// does what encoding/json does, which the hook is linked without.
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

// String returns a text without its secrets.
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

// Bytes returns a line without its secrets. A line that has none is returned uncopied.
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
