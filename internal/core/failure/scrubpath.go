package failure

import (
	"strings"

	"warp/internal/core/lexicon"
)

// uuid masks 8-4-4-4-12 hexadecimal digits.
func (s *scrub) uuid() bool {
	at := s.pos
	for k, n := range [...]int{8, 4, 4, 4, 12} {
		if k > 0 {
			if s.byteAt(at) != '-' {
				return false
			}
			at++
		}
		for range n {
			if !isHex(s.byteAt(at)) {
				return false
			}
			at++
		}
	}
	return s.ends(at) && s.mask("<uuid>", at-s.pos)
}

func isHex(c byte) bool { return lexicon.IsDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

func (s *scrub) hexEnd(i int) int {
	for i < len(s.in) && isHex(s.in[i]) {
		i++
	}
	return i
}

// hexNumber masks an address. A short number such as 0x1f is one only where
// addresses stand: as an offset, an argument of a frame, after another one.
func (s *scrub) hexNumber() bool {
	if s.in[s.pos] != '0' || s.byteAt(s.pos+1)|0x20 != 'x' {
		return false
	}
	end := s.hexEnd(s.pos + 2)
	if end == s.pos+2 || !s.ends(end) {
		return false
	}
	p := s.prev()
	if end-s.pos < 7 && !s.addr && p != '+' && p != '(' && p != '{' {
		return false
	}
	return s.mask("<addr>", end-s.pos)
}

// hash masks a word of seven or more hexadecimal digits. It must have both a
// digit and a letter: "defaced" is a word, and a number may be one.
func (s *scrub) hash() bool {
	end := s.hexEnd(s.pos)
	if end-s.pos < 7 || !s.ends(end) {
		return false
	}
	text := s.in[s.pos:end]
	if !strings.ContainsAny(text, "0123456789") || s.digitsEnd(s.pos) == end {
		return false
	}
	return s.mask("<hash>", len(text))
}

// identity masks the hash code of an object: Price@1b2c6ec2.
func (s *scrub) identity() bool {
	end := s.hexEnd(s.pos + 1)
	if s.in[s.pos] != '@' || end-s.pos < 6 || !s.ends(end) || !strings.ContainsAny(s.in[s.pos:end], "0123456789") {
		return false
	}
	s.put("@")
	s.pos++
	return s.mask("<addr>", end-s.pos)
}

// tempName masks the folder that Go makes for a test, TestName123/001, where it
// does not stand below a known one.
func (s *scrub) tempName() bool {
	end := s.wordEnd(s.pos)
	digits := end
	for digits > s.pos && lexicon.IsDigit(s.in[digits-1]) {
		digits--
	}
	if end-digits < 3 || !strings.HasPrefix(s.in[s.pos:], "Test") || s.byteAt(end) != '/' || !s.digitsAre(end+1, 3) || !s.ends(end+4) {
		return false
	}
	s.put(s.in[s.pos:digits])
	s.put("<n>/<n>")
	s.pos = end + 4
	return true
}

// tempRoots are where systems keep what does not last.
var tempRoots = [...]string{"/tmp/", "/var/tmp/", "/var/folders/", "/private/tmp/", "/private/var/", "/dev/shm/"}

// path cuts an absolute path down to its last element: the folders before it
// are those of a machine or of a checkout. Below a temporary folder the last
// element stays only when it reads like a file name that someone chose.
func (s *scrub) path() bool {
	root := s.rootEnd()
	if root == s.pos {
		return false
	}
	end := root
	for end < len(s.in) && pathByte(s.in[end]) {
		end++
	}
	for end > root && (s.in[end-1] == '/' || s.in[end-1] == '\\') {
		end--
	}
	base := end
	for base > root && s.in[base-1] != '/' && s.in[base-1] != '\\' {
		base--
	}
	if base == root {
		return false // nothing before the last element
	}
	full := strings.ReplaceAll(s.in[root-1:end], `\`, "/")
	name := s.in[base:end]
	if !temporary(full) {
		s.put("<dir>")
		s.put("/")
		s.pos = base
		return true
	}
	s.put("<tmp>")
	s.pos = end
	if chosen(name) && strings.Count(full, "/") > 2 {
		s.put("/")
		s.pos = base
	}
	return true
}

// rootEnd is where the first name of an absolute path starts: behind /, C:\ or
// file:///. Behind a name or another separator it is no absolute path.
func (s *scrub) rootEnd() int {
	p := s.prev()
	if plainWord(p) || p != 0 && strings.IndexByte(`./\:>-~)*]}%@`, p) >= 0 {
		return s.pos
	}
	rest := s.in[s.pos:]
	switch {
	case rest[0] == '/':
		return s.pos + 1
	case strings.HasPrefix(rest, "file:///"):
		return s.pos + len("file:///")
	case len(rest) > 3 && lexicon.IsLetter(rest[0]) && rest[1] == ':' && (rest[2] == '\\' || rest[2] == '/') && pathByte(rest[3]):
		return s.pos + 3
	}
	return s.pos
}

func pathByte(c byte) bool {
	return !isBlank(c) && strings.IndexByte("\"'()<>|,;:*?[]{}=`", c) < 0
}

func temporary(full string) bool {
	for _, root := range tempRoots {
		if strings.HasPrefix(full, root) {
			return true
		}
	}
	return strings.Contains(strings.ToLower(full), "/appdata/local/temp/")
}

// chosen reports whether a name has an extension and no digits.
func chosen(name string) bool {
	dot := strings.LastIndexByte(name, '.')
	return dot > 0 && dot < len(name)-1 && !strings.ContainsAny(name, "0123456789")
}
