package leakscan

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"slices"
)

const (
	// minSpread is how many characters of an encoded value must match when separators are left out.
	minSpread = 12
	// minSteps excludes values like 111111111111 and 0123456789abcdef, which are in ordinary tables.
	minSteps = 4
)

// spread is an encoded value without separators.
type spread struct {
	text []byte
	hex  bool
	of   Match
}

// listSpread returns the encodings of a value that are found whatever separates their characters:
// line breaks, quotes, commas, colons, 0x. Agents once wrapped base64 at 20 columns, and wrote hex
// with spaces.
func listSpread(m Match) (list []spread) {
	steps := 0 // from one character to another that is not its neighbour
	for i := 1; i < len(m.Value); i++ {
		if d := int(m.Value[i]) - int(m.Value[i-1]); d < 0 || d > 1 {
			steps++
		}
	}
	if steps < minSteps {
		return nil
	}
	list = append(list, spread{[]byte(hex.EncodeToString([]byte(m.Value))), true, m})
	for shift := range 3 {
		padded := append(make([]byte, shift), m.Value...)
		padded = padded[:len(padded)-len(padded)%3]
		s := base64.StdEncoding.EncodeToString(padded)[min(shift, 1)*4:]
		if text := join([]byte(s), view{}); len(text) >= minSpread {
			list = append(list, spread{text, false, m})
		}
	}
	return list
}

// view says which characters of a content are compared: all of an encoding's, or only those in
// quotes, since names of variables may stand between the parts.
type view struct{ hex, quoted bool }

var views = []view{{hex: false, quoted: false}, {hex: false, quoted: true}, {hex: true, quoted: false}, {hex: true, quoted: true}}

// findSpread returns the values whose encoding is in a content, in pieces.
func (k *Known) findSpread(content []byte) (found []Match) {
	if len(k.spread) == 0 {
		return nil
	}
	for _, v := range views {
		joined := join(content, v)
		for _, s := range k.spread {
			if s.hex == v.hex && !slices.Contains(found, s.of) && bytes.Contains(joined, s.text) {
				found = append(found, s.of)
			}
		}
	}
	return found
}

// spanOf returns the part of a content in which a value's encoding is spread; "" if it is absent.
func (k *Known) spanOf(content []byte, m Match) string {
	for _, v := range views {
		joined := join(content, v)
		for _, s := range k.spread {
			if s.hex != v.hex || s.of != m {
				continue
			}
			at := bytes.Index(joined, s.text)
			if at < 0 {
				continue
			}
			from, n := 0, 0
			for i := range v.kept(content) {
				if n == at {
					from = i
				}
				if n++; n == at+len(s.text) {
					return string(content[from : i+1])
				}
			}
		}
	}
	return ""
}

// join returns the characters of a content that a view compares. Hexadecimal digits are made small.
func join(content []byte, v view) []byte {
	out := make([]byte, 0, len(content))
	for i := range v.kept(content) {
		b := content[i]
		if v.hex && b >= 'A' {
			b |= 0x20
		}
		out = append(out, b)
	}
	return out
}

// kept yields the places of the characters that a view compares. The signs of base64 (+ / - _) are
// left out: + also joins strings.
func (v view) kept(content []byte) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		var quote byte
		for i := 0; i < len(content); i++ {
			b := content[i]
			switch {
			case b == '\n' && quote != '`':
				quote = 0
			case b == '"' || b == '\'' || b == '`':
				switch quote {
				case 0:
					quote = b
				case b:
					quote = 0
				}
			case b == '\\' || v.hex && b == '0':
				i += prefixLength(content[i:], v)
				if i < len(content) && b == '0' && content[i] == '0' && (!v.quoted || quote != 0) {
					if !yield(i) {
						return
					}
				}
			case v.quoted && quote == 0:
			case v.has(b):
				if !yield(i) {
					return
				}
			}
		}
	}
}

// prefixLength returns how many characters to pass over behind an escape's first one.
func prefixLength(rest []byte, v view) int {
	next := func(n int) byte { // in small letters
		if n < len(rest) {
			return rest[n] | 0x20
		}
		return 0
	}
	switch {
	case rest[0] == '0' && next(1) == 'x':
		return 1
	case rest[0] == '0':
		return 0
	case v.hex && next(1) == 'u' && next(2) == '0' && next(3) == '0':
		return 3
	case next(1) == 'n', next(1) == 'r', next(1) == 't', next(1) == 'x':
		return 1
	}
	return 0
}

func (v view) has(b byte) bool {
	l := b | 0x20
	switch {
	case '0' <= b && b <= '9':
		return true
	case v.hex:
		return 'a' <= l && l <= 'f'
	}
	return 'a' <= l && l <= 'z'
}
