package quality

import "warp/internal/core/lexicon"

// vacuous reports whether an assertion holds whatever the code under test does.
func (s *source) vacuous(name string, parts [][2]int) bool {
	if len(parts) == 0 {
		return false
	}
	first := parts[0]
	switch claims()[name] {
	case truth:
		return s.surely(first, true)
	case falsity:
		return s.surely(first, false)
	case equality:
		return len(parts) > 1 && s.same(first, parts[1])
	case absence:
		return first[1]-first[0] == 1 && nothing.Has(s.at(first[0]))
	case presence:
		return first[1]-first[0] == 1 && (s.of(first[0], stringToken) || s.of(first[0], number))
	}
	return false
}

var nothing = lexicon.Set{List: "nil null None undefined"}

// surely reports whether an expression has the given truth by its text alone.
func (s *source) surely(part [2]int, want bool) bool {
	from, to := part[0], part[1]
	for s.is(from, "(") && s.close(from) == to-1 {
		from, to = from+1, to-1
	}
	for from < to && (s.is(from, "!") || s.is(from, "not")) {
		from++
		want = !want
	}
	if to-from == 1 {
		known, value := s.truthOf(from)
		return known && value == want
	}
	if want && (s.is(to-1, "true") && s.are(to-3, "|", "|") || s.is(to-1, "True") && s.is(to-2, "or")) {
		return true
	}
	return want && s.tautology(from, to)
}

// truthOf is the truth of a constant, as the dynamic languages see it.
func (s *source) truthOf(i int) (known, value bool) {
	switch w := s.at(i); {
	case w == "true", w == "True":
		return true, true
	case w == "false", w == "False", nothing.Has(w):
		return true, false
	case s.of(i, number):
		return true, w != "0"
	case s.of(i, stringToken):
		return true, s.literal(i) != ""
	}
	return false, false
}

// tautology reports whether from..to compares a thing with itself.
func (s *source) tautology(from, to int) bool {
	for i := from + 1; i < to-1; i++ {
		switch {
		case s.is(i, "is") && !s.is(i+1, "not"):
			return s.same([2]int{from, i}, [2]int{i + 1, to})
		case s.are(i, "=", "=") && !s.is(i-1, "!") && !s.is(i-1, "<") && !s.is(i-1, ">"):
			right := i + 2
			if s.is(right, "=") {
				right++
			}
			return s.same([2]int{from, i}, [2]int{right, to})
		}
		i = s.close(i)
	}
	return false
}

// maxSame bounds a comparison of a thing with itself; longer ones are real.
const maxSame = 16

// same reports whether two expressions are the same names and constants. Two
// equal calls are not the same: comparing them tests that a result is stable.
func (s *source) same(a, b [2]int) bool {
	n := a[1] - a[0]
	if n == 0 || n > maxSame || n != b[1]-b[0] {
		return false
	}
	for k := range n {
		if s.at(a[0]+k) != s.at(b[0]+k) || s.is(a[0]+k, "(") {
			return false
		}
	}
	return true
}

// chain reads what follows the call that opens at open: expect(x).not.toBe(y).
// It returns the last link, the subject and that link's arguments.
func (s *source) chain(open int) (name string, parts [][2]int, negated bool) {
	subject := s.args(open)
	j := s.close(open) + 1
	for hops := 0; hops < 8 && s.is(j, ".") && s.of(j+1, word); hops++ {
		name = s.at(j + 1)
		negated = negated || name == "not"
		parts = subject
		if j += 2; s.is(j, "(") {
			parts = append(subject[:len(subject):len(subject)], s.args(j)...)
			j = s.close(j) + 1
		}
	}
	return name, parts, negated
}
