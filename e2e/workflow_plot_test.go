//go:build unix

package e2e

import "strings"

// work is a task as the model does it: how often it is wrong at first, and the criteria that
// are to be met.
type work struct {
	id, name, file, text string
	wrong                int
	criteria             map[string]bool
}

// objection is what the supervisor finds, and what comes of it.
type objection struct{ check, kind, severity, what, action, resolution string }

// plot is a task document, and what happens to it.
type plot struct {
	document   string
	check      string // the success criterion of all
	works      []work
	phases     []string
	checks     int                  // of the supervisor
	objections map[string]objection // by task
	commented  work                 // the one that is fixed
	warnings   []string
	before     []string // what each checkpoint was taken before
	merged     []string
}

// A ~ stands for a backtick. 2.1 and 2.2 have nothing to do with each other.
const (
	wordsBegin = `# A library of words

## Goal
Texts become words and texts again.

## Success criteria
- [ ] It all works: ~CHECK~

## Safety bounds
- max_iterations_per_task: 4
- max_cost: $5
- max_time: 1h

### Phase 1: Foundation
#### Task 1.1: Count words
Files: count.js
- [ ] It counts: ~node -e "if (require('./count')('a b') != 2) process.exit(1)"~

### Phase 2: Side by side
#### Task 2.1: Reverse words
Files: reverse.js
- [ ] It is there: ~test -s reverse.js~

#### Task 2.2: Join words
Files: join.js
- [ ] It is there: ~test -s join.js~
- [ ] It reads well
`
	wordsMore = `
#### Task 2.3: Reverse texts
Depends on: 2.1, 2.2
Files: text.js
- [ ] It is there: ~test -s text.js~

### Phase 3: The end
#### Task 3.1: Put it together
Files: index.js
- [ ] It is there: ~test -s index.js~

#### Task 3.2: Check it all
Depends on: 3.1
Files: all.js
- [ ] It passes: ~node all.js~
`
	wordsEnd = `
## Outer loop
- max_iterations: 1

## Verification
- ~node -e "require('./count')"~
`
)

var (
	countWords   = work{"1.1", "Count words", "count.js", "module.exports = s => s.split(' ').length\n", 3, map[string]bool{"it_counts": true}}
	reverseWords = work{"2.1", "Reverse words", "reverse.js", "module.exports = w => w.toReversed()\n", 0, map[string]bool{"it_is_there": true}}
	joinWords    = work{"2.2", "Join words", "join.js", "module.exports = w => w.join(' ')\n", 0, map[string]bool{"it_is_there": true, "it_reads_well": true}}
	reverseTexts = work{"2.3", "Reverse texts", "text.js", "module.exports = s => require('./join')(require('./reverse')(s.split(' ')))\n", 0, map[string]bool{"it_is_there": true}}
	putTogether  = work{"3.1", "Put it together", "index.js", "module.exports = require('./text')\n", 0, map[string]bool{"it_is_there": true}}
	checkAll     = work{"3.2", "Check it all", "all.js", "require('assert').equal(require('./text')('a b'), 'b a')\n", 0, map[string]bool{"it_passes": true}}
)

// longPlot starts Claude Code 27 times: three phases and six tasks, of which 2.3 needs two
// others and 3.2 is planned anew.
func longPlot() plot {
	return plot{
		check: "node all.js", document: wordsBegin + wordsMore + wordsEnd,
		works:  []work{countWords, reverseWords, joinWords, reverseTexts, putTogether, checkAll},
		phases: []string{"Foundation", "Side by side", "The end"}, checks: 13,
		objections: map[string]objection{
			"3.1": {"post_task", "pattern", "low", "index.js lacks a comment", "auto_fix", "fixed in "},
			"3.2": {"pre_task", "architecture", "high", "the check must go by way of index.js", "re_plan", "re-planned: 3.2"},
		},
		commented: putTogether,
		warnings:  []string{"Iterations of task 1.1 at 75% of limit"},
		before:    []string{"1.1", "phase-1", "2.1", "2.2", "2.3", "phase-2", "3.1", "3.2", "phase-3"},
		merged: []string{"feat: Count words (task 1.1)", "feat: Reverse words (task 2.1)", "feat: Join words (task 2.2)", "feat: Reverse texts (task 2.3)",
			"feat: Put it together (task 3.1)", "fix: index.js lacks a comment", "feat: Check it all (task 3.2)", "refactor: Say what it is"},
	}
}

// shortPlot starts it eleven times: its first two phases, with a supervisor that looks at what
// was done only.
func shortPlot() plot {
	first := countWords
	first.wrong = 1
	return plot{
		check: "node join.js", document: wordsBegin + "\n## Supervisor\n- checks: post_task\n" + wordsEnd,
		works:  []work{first, reverseWords, joinWords},
		phases: []string{"Foundation", "Side by side"}, checks: 3,
		objections: map[string]objection{"1.1": {"post_task", "pattern", "low", "count.js lacks a comment", "auto_fix", "fixed in "}},
		commented:  first,
		before:     []string{"1.1", "phase-1", "2.1", "2.2", "phase-2"},
		merged: []string{"feat: Count words (task 1.1)", "fix: count.js lacks a comment", "feat: Reverse words (task 2.1)", "feat: Join words (task 2.2)",
			"refactor: Say what it is"},
	}
}

// text is the document as people write it.
func (p plot) text() string {
	return strings.NewReplacer("~", "`", "CHECK", p.check).Replace(p.document)
}

// ended counts the objections that led to an action.
func (p plot) ended(action string) (n int) {
	for _, o := range p.objections {
		if o.action == action {
			n++
		}
	}
	return n
}

// wrong is how many iterations fail.
func (p plot) wrong() (n int) {
	for _, w := range p.works {
		n += w.wrong
	}
	return n
}
