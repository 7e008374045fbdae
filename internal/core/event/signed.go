package event

import "strings"

// Standing is what a reader that has the key found about a row.
type Standing int

// The standings.
const (
	Unchecked Standing = iota // its reader has no key: it is taken as it is
	Signed                    // a process with the key wrote it, and it is in its place
	Unsigned                  // an observer wrote it, or something that is not warp
	Forged                    // it has a signature that does not hold: it was made up or rewritten
	Misplaced                 // it is signed, but the row before it is gone, or is another one
)

// Counts reports whether something may be decided from the row.
func (r Row) Counts() bool { return r.Standing == Unchecked || r.Standing == Signed }

// MacLength is the length of a signature: 128 bits in hexadecimal digits.
const MacLength = 32

const (
	macMark  = `,"mac":"`
	macWidth = len(macMark) + MacLength + len(`"`)
)

// SignedLine spells a row with a signature, which sign makes of all that stands
// before it, and returns that too. The row's After links it to the one before.
func (r Row) SignedLine(sign func(text []byte) string) (line []byte, mac string) {
	r.Mac = ""
	b := r.body()
	mac = sign(b)
	b = append(b, macMark...)
	b = append(b, mac...)
	return end(append(b, '"')), mac
}

// Signature splits a whole line into what its signature covers and the signature.
// It is not ok for a row that has none.
func Signature(line string) (body, mac string, ok bool) {
	at := len(line) - crcWidth - macWidth
	if at < 0 || !strings.HasPrefix(line[at:], macMark) || line[at+macWidth-1] != '"' {
		return "", "", false
	}
	return line[:at], line[at+len(macMark) : at+macWidth-1], true
}
