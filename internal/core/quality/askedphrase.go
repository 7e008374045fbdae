package quality

import "strings"

// item is one object of a verb: words, and those behind a preposition.
type item struct {
	words []term
	link  string // of, for, in, …; empty where there is none
	place []term
}

// items reads the objects at i, up to a word that cannot belong to one. The verb
// of a state stands behind its objects; that of an order may be a word in them,
// as in "remove the merge tests".
func (s sentence) items(i int, state bool) ([]item, int) {
	var list []item
	var it item
	flush := func() {
		if len(it.words) > 0 {
			list = append(list, it)
		}
		it = item{}
	}
	for ; i < len(s); i++ {
		w := s.low(i)
		switch {
		case separators.Has(w), w == "with" && possessive(s.low(i+1)):
			flush()
		case tails.Has(w), conditions.Has(w), auxiliaries.Has(w) && !determiners.Has(w), state && verbClass(w) != 0, w == "no", w == "obsolete" && s.statesAt(i):
			flush()
			return list, i
		case prepositions.Has(w) && it.link == "" && len(it.words) > 0:
			it.link = w
		case it.link != "":
			it.place = append(it.place, s[i])
		default:
			it.words = append(it.words, s[i])
		}
	}
	flush()
	return list, i
}

// statesAt tells an "is obsolete" from "the obsolete tests".
func (s sentence) statesAt(i int) bool { return i > 0 && auxiliaries.Has(s.low(i-1)) }

func possessive(word string) bool { return word == "its" || word == "their" }

// its tells "its tests" and "all its unit tests".
func (it item) its() bool {
	found := false
	for i, t := range it.words {
		w := strings.ToLower(t.text)
		found = found || possessive(w)
		if last := i == len(it.words)-1; last != testNouns.Has(w) || !last && !determiners.Has(w) && !adjectives.Has(w) {
			return false
		}
	}
	return found && it.link == ""
}

// names tells whether an item names a target: by its name, or as the tests of a
// subject.
func (it item) names(what *target) bool {
	words, named := it.plain(what)
	if named {
		return len(words) == 0 && it.within(what)
	}
	if len(it.words) == 0 || !it.endsInTest() {
		return false
	}
	if it.link == "" || it.inPlace() {
		return it.within(what) && what.has(words)
	}
	pre := words[:0:0]
	for _, t := range words {
		if !adjectives.Has(strings.ToLower(t.text)) {
			pre = append(pre, t)
		}
	}
	if !what.holds(it.place) && !what.has(rid(it.place)) {
		return false
	}
	return len(pre) == 0 || what.has(pre)
}

// plain is the words of an item that say something about it, and whether one of
// those left out is the target's name.
func (it item) plain(what *target) (rest []term, named bool) {
	for _, t := range it.words {
		if what.is(t) {
			named = true
		}
	}
	for _, t := range it.words {
		w := strings.ToLower(t.text)
		switch {
		case t.quoted && !what.is(t):
			rest = append(rest, t)
		case what.is(t), determiners.Has(w), testNouns.Has(w), kindNouns.Has(w), named && adjectives.Has(w):
		default:
			rest = append(rest, t)
		}
	}
	return rest, named
}

// endsInTest tells whether the last word is one for tests: "parser tests", "test
// cases".
func (it item) endsInTest() bool {
	n := len(it.words)
	if it.words[n-1].quoted {
		return false
	}
	last := strings.ToLower(it.words[n-1].text)
	return testNouns.Has(last) || kindNouns.Has(last) && n > 1 && testNouns.Has(strings.ToLower(it.words[n-2].text))
}

// inPlace tells whether the words behind the preposition say no more than where
// all tests are.
func (it item) inPlace() bool {
	place := rid(it.place)
	return (it.link == "in" || it.link == "from") && len(place) == 1 && places.Has(strings.ToLower(place[0].text))
}

// within tells whether a target is where an item says.
func (it item) within(what *target) bool {
	return it.link == "" || it.inPlace() || what.holds(it.place)
}

// partOf tells whether an item is a part of the target: "the checks in TestA".
func (it item) partOf(what *target) bool {
	n := len(it.words)
	if n == 0 || !partNouns.Has(strings.ToLower(it.words[n-1].text)) || it.link != "in" && it.link != "from" && it.link != "of" {
		return false
	}
	return what.holds(it.place)
}

// rid leaves articles and words for tests out.
func rid(tokens []term) []term {
	var rest []term
	for _, t := range tokens {
		if w := strings.ToLower(t.text); t.quoted || !determiners.Has(w) && !testNouns.Has(w) {
			rest = append(rest, t)
		}
	}
	return rest
}
