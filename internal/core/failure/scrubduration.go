package failure

import "warp/internal/core/lexicon"

// units holds what may follow a number at once, and farUnits what may follow it
// after a blank: 5 m and 3 h are too short to be sure of.
var (
	units    = lexicon.Set{List: "ns us µs μs ms s m h sec secs second seconds min mins minute minutes hour hours"}
	farUnits = lexicon.Set{List: "ns us µs μs ms s sec secs second seconds min mins minute minutes hour hours"}
)

// duration masks one: 0.03s, 1m2.5s, 12 ms, 01:02 min, 1m 02s.
func (s *scrub) duration() bool {
	end := s.durationEnd(s.pos)
	if end == s.pos {
		return false
	}
	for next := s.blanksEnd(end); s.durationEnd(next) > next; next = s.blanksEnd(end) {
		end = s.durationEnd(next)
	}
	return s.mask("<dur>", end-s.pos)
}

// waiting drops how long a goroutine has been in its state, which is only shown
// from the first minute on: [select, 2 minutes].
func (s *scrub) waiting() bool {
	from := s.blanksEnd(s.pos + 1)
	if s.in[s.pos] != ',' || !lexicon.IsLetter(s.prev()) || !lexicon.IsDigit(s.byteAt(from)) {
		return false
	}
	end := s.durationEnd(from)
	if end == from || s.byteAt(end) != ']' {
		return false
	}
	s.pos = end
	return true
}

// durationEnd is where the duration at i ends, i where there is none.
func (s *scrub) durationEnd(i int) int {
	at := i
	for parts := 0; parts < 4; parts++ {
		end := s.decimalEnd(at)
		if end == at {
			return i
		}
		unit := end
		for unit < len(s.in) && (lexicon.IsLetter(s.in[unit]) || s.in[unit] >= 0x80) {
			unit++
		}
		switch {
		case units.Has(s.in[end:unit]) && s.ends(unit):
			return unit
		case units.Has(s.in[end:unit]) && lexicon.IsDigit(s.byteAt(unit)):
			at = unit // 1m2.5s
		case parts == 0:
			return s.farUnit(i, end)
		default:
			return i
		}
	}
	return i
}

// decimalEnd is where the number at i ends: digits, with a fraction or, as the
// minutes of 01:02 min, with a second part.
func (s *scrub) decimalEnd(i int) int {
	end := s.digitsEnd(i)
	if end > i && (s.byteAt(end) == '.' || s.byteAt(end) == ',') && lexicon.IsDigit(s.byteAt(end+1)) {
		end = s.digitsEnd(end + 1)
	}
	return end
}

// farUnit is where the unit ends that follows the number i..end after blanks.
func (s *scrub) farUnit(i, end int) int {
	if s.byteAt(end) == ':' && lexicon.IsDigit(s.byteAt(end+1)) {
		end = s.digitsEnd(end + 1)
	}
	from := s.blanksEnd(end)
	unit := s.wordEnd(from)
	if from == end || !farUnits.Has(s.in[from:unit]) {
		return i
	}
	return unit
}
