package quality

import (
	"slices"
	"strings"
)

// Unasked lists the findings that no criterion asks for.
func Unasked(findings []Finding, criteria []string) []Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return Asked(f, criteria) })
}

// Asked tells whether the text of a criterion asks for what a finding reports.
// It must say so outright, as an order or as a state: "Remove TestRetry", "The
// tests of the legacy parser are deleted". The verb must cover the kind (who is
// to skip a test may not delete it), and its object must name the test, its
// file, or the tests of a subject whose words are all in those two names. A
// sentence that denies, permits or supposes something asks for nothing, nor
// does one that has a word too many: a wrong no costs a question, a wrong yes
// the tests.
func Asked(f Finding, criteria []string) bool {
	var all []sentence
	for _, c := range criteria {
		all = append(all, sentences(c)...)
	}
	asks := func(test string) bool {
		what := newTarget(f, test)
		return slices.ContainsFunc(all, func(s sentence) bool { return s.asks(f.Kind, what) })
	}
	if asks("") {
		return true
	}
	for _, test := range f.Tests {
		if !asks(test) {
			return false
		}
	}
	return len(f.Tests) > 0
}

// longest bounds the words of a sentence that is read, since each may be read
// once for every comma in it.
const longest = 400

// asks looks for an order or a state in each clause. A clause behind one that
// supposes something only goes on with it.
func (s sentence) asks(kind string, what *target) bool {
	if len(s) > longest || s.denies() {
		return false
	}
	for _, c := range s.clauses() {
		if c.demands(kind, what) {
			return true
		}
		if c.anyOf(suppositions.Has) {
			return false
		}
	}
	return false
}

// demands looks at the beginning of a clause and, where that is an order, behind
// each of its commas and conjunctions.
func (s sentence) demands(kind string, what *target) bool {
	order := imperatives.Has(s.low(s.leadIn(0)))
	for i := range s {
		if i > 0 && (!order || !separators.Has(s.low(i-1))) {
			continue
		}
		if s.orders(i, kind, what) || s.states(i, kind, what) {
			return true
		}
	}
	return false
}

// denies tells whether a sentence has a word that may turn it around, or is
// struck out.
func (s sentence) denies() bool {
	for i := range s {
		w := s.low(i)
		switch {
		case w == "no" && s.low(i+1) == "longer":
		case denials.Has(w), strings.HasSuffix(w, "n't"), strings.Contains(w, "~~"):
			return true
		}
	}
	return false
}

// leadIn is where a sentence begins behind words such as "please" and "we must".
func (s sentence) leadIn(i int) int {
	for leadIns.Has(s.low(i)) {
		i++
	}
	return i
}

// orders reads "remove the tests of the parser" at i.
func (s sentence) orders(i int, kind string, what *target) bool {
	i = s.leadIn(i)
	class := verbClass(s.low(i))
	i++
	if w := s.low(i - 1); (w == "removal" || w == "deletion") && s.low(i) == "of" {
		class = removal
		i++
	}
	if class == 0 {
		return false
	}
	items, end := s.items(i, false)
	if end < len(s) && !class.mayEnd(s.low(end)) {
		items = items[:max(len(items)-1, 0)] // the last goes on as something else
	}
	return anyItem(items, class, kind, what)
}

// states reads "the tests of the parser are removed" at i.
func (s sentence) states(i int, kind string, what *target) bool {
	items, end := s.items(i, true)
	aux := end
	for auxiliaries.Has(s.low(aux)) {
		aux++
	}
	var class class
	switch {
	case s.low(aux) == "no" && aux+2 < len(s): // no longer needed
		class = verbClass("no longer " + s.low(aux+2))
		aux += 2
	case s.low(aux) == "obsolete":
		class = removal
	default:
		class = verbClass(s.low(aux))
	}
	rest := aux + 1
	if class == 0 || rest < len(s) && (aux == end || !class.mayEnd(s.low(rest))) {
		return false
	}
	return anyItem(items, class, kind, what)
}

// anyItem tells whether one of several objects is what a finding is about. "its
// tests" are those of the object before.
func anyItem(items []item, class class, kind string, what *target) bool {
	for i, it := range items {
		if i > 0 && it.its() {
			it.words = append(slices.Clip(items[i-1].words), it.words[len(it.words)-1])
		}
		if class.covers(kind) && it.names(what) {
			return true
		}
		if kind == "weakened" && class != skipping && it.partOf(what) {
			return true
		}
	}
	return false
}
