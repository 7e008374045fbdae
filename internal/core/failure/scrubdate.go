package failure

import (
	"strings"

	"warp/internal/core/lexicon"
)

var (
	months = lexicon.Set{List: `Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec January February March April June July
 August September October November December`}
	weekdays = lexicon.Set{List: "Mon Tue Wed Thu Fri Sat Sun Monday Tuesday Wednesday Thursday Friday Saturday Sunday"}
)

// instant masks a date, a time of day, or both.
func (s *scrub) instant() bool {
	end := s.dateEnd(s.pos)
	if end == s.pos {
		end = s.clockEnd(s.pos, true)
	} else if t := s.clockEnd(s.afterDate(end), false); t > s.afterDate(end) {
		end = s.yearEnd(t)
	}
	if end == s.pos || !s.ends(end) {
		return false
	}
	return s.mask("<time>", end-s.pos)
}

// afterDate is where the time of day after a date may start.
func (s *scrub) afterDate(i int) int {
	if s.byteAt(i) == 'T' {
		return i + 1
	}
	return s.blanksEnd(i)
}

// digitsAre reports whether n digits, and no more, stand at i.
func (s *scrub) digitsAre(i, n int) bool { return s.digitsEnd(i)-i == n }

// dateEnd is where the date at i ends: 2006-01-02, 2006/01/02, Mon Jan 2 or
// 2 Jan 2006.
func (s *scrub) dateEnd(i int) int {
	if sep := s.byteAt(i + 4); s.digitsAre(i, 4) && (sep == '-' || sep == '/') {
		if s.digitsAre(i+5, 2) && s.byteAt(i+7) == sep && s.digitsAre(i+8, 2) {
			return i + 10
		}
		return i
	}
	at := i
	if w := s.wordEnd(at); weekdays.Has(s.in[at:w]) {
		if s.byteAt(w) == ',' {
			w++
		}
		at = s.blanksEnd(w)
	}
	word := s.wordEnd(at)
	if months.Has(s.in[at:word]) {
		day := s.blanksEnd(word)
		if n := s.digitsEnd(day) - day; day > word && (n == 1 || n == 2) && s.ends(day+n) {
			return s.yearEnd(day + n)
		}
		return i
	}
	if n := s.digitsEnd(at) - at; n == 1 || n == 2 {
		month := s.blanksEnd(at + n)
		end := s.wordEnd(month)
		if year := s.blanksEnd(end); month > at+n && months.Has(s.in[month:end]) && year > end && s.digitsAre(year, 4) && s.ends(year+4) {
			return year + 4
		}
	}
	return i
}

// yearEnd is where the year ends that may follow at i.
func (s *scrub) yearEnd(i int) int {
	at := i
	if s.byteAt(at) == ',' {
		at++
	}
	if year := s.blanksEnd(at); year > at && s.digitsAre(year, 4) && s.ends(year+4) && s.byteAt(year+4) != ':' {
		return year + 4
	}
	return i
}

// clockEnd is where the time of day at i ends: 15:04:05 with a fraction and a
// zone. Hours and minutes alone may as well be a line and a column, so that they
// only count behind a date, where seconds are not asked for.
func (s *scrub) clockEnd(i int, seconds bool) int {
	hours := s.digitsEnd(i)
	if n := hours - i; n < 1 || n > 2 || s.byteAt(hours) != ':' || !s.digitsAre(hours+1, 2) || !s.clockEnds(hours+3) {
		return i
	}
	end := hours + 3
	if s.byteAt(end) == ':' && s.digitsAre(end+1, 2) && s.clockEnds(end+3) {
		end += 3
	} else if seconds {
		return i
	}
	if c := s.byteAt(end); (c == '.' || c == ',') && lexicon.IsDigit(s.byteAt(end+1)) && s.clockEnds(s.digitsEnd(end+1)) {
		end = s.digitsEnd(end + 1)
	}
	return s.zoneEnd(end)
}

// clockEnds reports whether a part of a time of day may end at i. A part that
// runs on is left out, so that the rest of it is judged by itself.
func (s *scrub) clockEnds(i int) bool {
	return s.ends(i) || s.byteAt(i) == 'Z' && s.ends(i+1)
}

// zoneEnd is where the zone ends that may follow at i: Z, +02:00 or, as Go
// prints a time, " +0200 CEST m=+0.003".
func (s *scrub) zoneEnd(i int) int {
	if s.byteAt(i) == 'Z' && s.ends(i+1) {
		return i + 1
	}
	at := s.blanksEnd(i)
	if c := s.byteAt(at); c != '+' && c != '-' {
		return i
	}
	if s.digitsAre(at+1, 2) && s.byteAt(at+3) == ':' && s.digitsAre(at+4, 2) && s.ends(at+6) {
		return at + 6
	}
	end := s.digitsEnd(at + 1)
	if end-at != 5 || !s.ends(end) {
		return i
	}
	name := s.blanksEnd(end)
	if w := s.wordEnd(name); name > end && w-name >= 3 && w-name <= 5 && strings.ToUpper(s.in[name:w]) == s.in[name:w] {
		end = w
	}
	if mono := s.blanksEnd(end); strings.HasPrefix(s.in[mono:], "m=") && (s.byteAt(mono+2) == '+' || s.byteAt(mono+2) == '-') {
		if d := s.decimalEnd(mono + 3); d > mono+3 && s.ends(d) {
			end = d
		}
	}
	return end
}
