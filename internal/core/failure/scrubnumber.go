package failure

import (
	"strings"

	"warp/internal/core/lexicon"
)

// numbering holds the words after which a number only says which one.
var numbering = lexicon.Set{List: "line lines ln column col port pid tid goroutine thread process seed shuffle lambda"}

// numbered masks the number after one of those words: line 12, pid=7, seed: -3.
func (s *scrub) numbered() bool {
	end := s.digitsEnd(s.pos)
	if !s.ends(end) || !numbering.Has(s.lastWord()) {
		return false
	}
	return s.mask("<n>", end-s.pos)
}

// lastWord is the word written last, in small letters, with no more than a few
// separators behind it.
func (s *scrub) lastWord() string {
	line := s.out[s.start:]
	end := len(line)
	for end > 0 && len(line)-end < 3 && strings.IndexByte(" :=#(-$", line[end-1]) >= 0 {
		end--
	}
	if end == len(line) && !s.gap {
		return ""
	}
	from := end
	for from > 0 && end-from < 12 && lexicon.IsLetter(line[from-1]) {
		from--
	}
	return strings.ToLower(string(line[from:end]))
}

// gutter masks the line number before quoted source, 12 | code, and that of a
// linter, 12:5 message; both stand at the start of a line.
func (s *scrub) gutter() bool {
	if n := len(s.out) - s.start; n > 1 || n == 1 && s.out[s.start] != '>' {
		return false
	}
	end := s.digitsEnd(s.pos)
	if s.byteAt(s.blanksEnd(end)) == '|' {
		return s.mask("<n>", end-s.pos)
	}
	col := s.digitsEnd(end + 1)
	if s.byteAt(end) != ':' || col == end+1 || col < len(s.in) && !isBlank(s.in[col]) {
		return false
	}
	s.mask("<n>", end-s.pos)
	s.put(":")
	return s.mask("<n>", col-s.pos)
}

// large masks a number too long to be a small count: a time in nanoseconds, an
// identifier.
func (s *scrub) large() bool {
	end := s.digitsEnd(s.pos)
	if end-s.pos < 10 || !s.ends(end) {
		return false
	}
	return s.mask("<n>", end-s.pos)
}

// position masks the numbers of file:line:column, host:port and file(line,column):.
func (s *scrub) position() bool {
	p := s.prev()
	switch s.in[s.pos] {
	case ':':
		end := s.digitsEnd(s.pos + 1)
		if end == s.pos+1 || !s.ends(end) {
			return false
		}
		behind := s.pathy && (plainWord(p) || p == ']' || p == ')' || p == '>')
		bare := p == 0 && end-s.pos > 2 && end-s.pos < 7 // a port of every host
		if !behind && !bare {
			return false
		}
		s.put(":")
		return s.mask("<n>", end-s.pos)
	case '(':
		if !s.pathy || !plainWord(p) {
			return false
		}
		return s.coordinates()
	}
	return false
}

// coordinates masks (12,5) before a colon.
func (s *scrub) coordinates() bool {
	first := s.digitsEnd(s.pos + 1)
	end, text := first, "(<n>)"
	if s.byteAt(first) == ',' {
		end, text = s.digitsEnd(first+1), "(<n>,<n>)"
	}
	if first == s.pos+1 || end == first+1 || s.byteAt(end) != ')' || s.byteAt(end+1) != ':' {
		return false
	}
	return s.mask(text, end+1-s.pos)
}

// brackets masks a progress counter, [ 50%] or (3/10), and the thread of a Rust
// panic; it drops a duration at the end of the line.
func (s *scrub) brackets() bool {
	open := s.in[s.pos]
	if open != '[' && open != '(' {
		return false
	}
	from := s.blanksEnd(s.pos + 1)
	end := s.digitsEnd(from)
	if end == from {
		return false
	}
	if open == '(' && s.prev() == 0 {
		if last := s.durationEnd(from); last > from && s.byteAt(last) == ')' && s.blanksEnd(last+1) == len(s.in) {
			s.pos = len(s.in)
			return true
		}
		if s.byteAt(end) == ')' && strings.HasPrefix(s.in[s.blanksEnd(end+1):], "panicked") {
			return s.mask("(<n>)", end+1-s.pos)
		}
	}
	return s.progress(open, end)
}

// progress masks the counter whose first number ends at i.
func (s *scrub) progress(open byte, i int) bool {
	switch s.byteAt(i) {
	case '%':
		i++
	case '/':
		from := s.blanksEnd(i + 1)
		if i = s.digitsEnd(from); i == from {
			return false
		}
	default:
		return false
	}
	i = s.blanksEnd(i)
	if c := s.byteAt(i); c != ']' && c != ')' {
		return false
	}
	s.put(string(open))
	s.mask("<pct>", 0)
	s.put(s.in[i : i+1])
	s.pos = i + 1
	return true
}

// share masks a percentage.
func (s *scrub) share() bool {
	end := s.digitsEnd(s.pos)
	if s.byteAt(end) == '.' {
		end = s.digitsEnd(end + 1)
	}
	if s.byteAt(end) != '%' {
		return false
	}
	return s.mask("<pct>", end+1-s.pos)
}
