package leakscan

import "bytes"

// minToken is the minimum length of a word worth trying all rules on.
const minToken = 16

// SuspiciousLines returns the lines of a text that could hold a key or a token: those with a long
// word of letters and digits, and those about private keys. All rules of a detector together read a
// third of a megabyte per second; this reads hundreds.
func SuspiciousLines(text []byte) (lines []byte) {
	for l := range bytes.Lines(text) {
		if isSuspicious(l) {
			lines = append(lines, l...)
		}
	}
	return lines
}

func isSuspicious(line []byte) bool {
	length, letters, digits := 0, false, false
	for _, b := range line {
		switch {
		case 'a' <= b|0x20 && b|0x20 <= 'z':
			letters = true
		case '0' <= b && b <= '9':
			digits = true
		case b == '+', b == '/', b == '=', b == '_', b == '-', b == '~':
		default:
			length, letters, digits = -1, false, false
		}
		if length++; length >= minToken && letters && digits {
			return true
		}
	}
	return bytes.Contains(line, []byte("PRIVATE KEY")) || bytes.Contains(line, []byte("://")) && bytes.IndexByte(line, '@') > 0
}
