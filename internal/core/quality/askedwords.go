package quality

import (
	"strings"

	"warp/internal/core/lexicon"
)

// class is what a verb does to a test.
type class int

const (
	removal class = iota + 1
	skipping
	changing
)

var (
	removals = lexicon.Set{List: `remove removed delete deleted drop dropped retire retired eliminate eliminated discard discarded prune pruned purge purged`}
	skips    = lexicon.Set{List: `skip skipped disable disabled quarantine quarantined`}
	changes  = lexicon.Set{List: `replace replaced rename renamed rewrite rewrote rewritten simplify simplified merge merged consolidate consolidated
 split convert converted migrate migrated move moved trim trimmed shorten shortened relax relaxed loosen loosened reduce reduced`}
	lapsed = lexicon.Set{List: "needed required necessary relevant exist exists used there present kept maintained"} // no longer …
)

func verbClass(word string) class {
	rest, lapses := strings.CutPrefix(word, "no longer ")
	switch {
	case removals.Has(word), lapses && lapsed.Has(rest):
		return removal
	case skips.Has(word), lapses && (rest == "run" || rest == "runs"):
		return skipping
	case changes.Has(word):
		return changing
	}
	return 0
}

// covers tells whether a verb asks for that kind of finding.
func (c class) covers(kind string) bool {
	switch c {
	case skipping:
		return kind == "skipped"
	case changing:
		return kind == "weakened" || kind == "removed" || kind == "deleted"
	}
	return c == removal
}

// mayEnd tells whether a word may follow the object of such a verb. Tests are
// rightly skipped under a condition; removed under one, it is something that
// the program does.
func (c class) mayEnd(word string) bool {
	return tails.Has(word) || c == skipping && conditions.Has(word)
}

var (
	separators   = lexicon.Set{List: ", and or plus then"}
	prepositions = lexicon.Set{List: "of for in from under covering"}
	tails        = lexicon.Set{List: "by with without as to because since entirely completely altogether too"}
	conditions   = lexicon.Set{List: "on when if until while"}
	leadIns      = lexicon.Set{List: "please also we must should shall will need to have then finally let's"}
	auxiliaries  = lexicon.Set{List: "is are was were be been get gets got must should shall can may will has have need needs to now all both also completely entirely fully"}
	denials      = lexicon.Set{List: `not never no none nothing neither nor nobody cannot avoid except unless instead rather forbid forbids forbidden prevent
 prevents refuse refuses refused reject rejects rejected dont doesnt isnt arent`}
	suppositions = lexicon.Set{List: "if when whenever until while after before once can could may might able allow allows allowed user users"}
	imperatives  = lexicon.Set{List: `add implement create write introduce make use move replace rename remove delete drop update refactor rewrite simplify
 fix extract split merge convert migrate port change inline retire disable skip clean consolidate eliminate`}

	determiners = lexicon.Set{List: "the a an this that these those all any every each both our its their"}
	adjectives  = lexicon.Set{List: `old obsolete outdated deprecated unused redundant flaky broken stale dead duplicate duplicated failing corresponding related
 associated existing whole entire remaining unit`}
	testNouns = lexicon.Set{List: "test tests testcase testcases spec specs"}
	kindNouns = lexicon.Set{List: "case cases file files suite suites function functions method methods helper helpers"} // of tests
	partNouns = lexicon.Set{List: "assertion assertions check checks expectation expectations case cases row rows"}
	places    = lexicon.Set{List: "suite codebase repository repo project code tree"}
	actions   = lexicon.Set{List: "keep update add fix run rerun ensure make write extend improve restore pass passes"}
)
