package event

import "strings"

// Standing is what a reader with the key found about a row.
type Standing int

const (
	Unchecked Standing = iota // the reader has no key: it is taken as it is
	Signed                    // a process with the key wrote it, and it is in its place
	Unsigned                  // an observer wrote it, or something other than warp
	Forged                    // its signature is invalid: it was made up or rewritten
	Misplaced                 // it is signed, but the row before it is missing or different
)

// Counts reports whether decisions may rely on the row.
func (r Row) Counts() bool { return r.Standing == Unchecked || r.Standing == Signed }

// MacLength is the length of a signature: 128 bits in hexadecimal digits.
const MacLength = 32

const (
	macMark  = `,"mac":"`
	macWidth = len(macMark) + MacLength + len(`"`)
)

// SignedLine returns the row as a signed line, and the signature, which sign makes from everything
// before it. The row's After links it to the previous one.
func (r Row) SignedLine(sign func(text []byte) string) (line []byte, mac string) {
	r.Mac = ""
	b := r.body()
	mac = sign(b)
	b = append(b, macMark...)
	b = append(b, mac...)
	return end(append(b, '"')), mac
}

// Signature splits a whole line into what its signature covers and the signature. It returns false
// for an unsigned row.
func Signature(line string) (body, mac string, ok bool) {
	at := len(line) - crcWidth - macWidth
	if at < 0 || !strings.HasPrefix(line[at:], macMark) || line[at+macWidth-1] != '"' {
		return "", "", false
	}
	return line[:at], line[at+len(macMark) : at+macWidth-1], true
}
