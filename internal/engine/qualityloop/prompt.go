package qualityloop

import (
	"fmt"
	"strings"

	"warp/internal/core/untrusted"
	"warp/internal/core/workqueue"
)

// shownDone is how many finished items an assessment is told of.
const shownDone = 30

// assessment is what the agent is asked that looks for work.
func (b *checker) assessment(q *workqueue.Queue) string {
	var p strings.Builder
	fmt.Fprintf(&p, "Assess this project. You may look at everything, and change nothing.\n\nThe task is:\n\n%s\n\n", b.Task)
	p.WriteString(`Find what is still missing until the task is wholly done, and what is wrong with
what was done for it. Judge by the code as it is, not by what is said of it.
The project's checks (tests, linters, compilers) are run after you: leave their
findings to them.

Report each thing as one finding:
- title: exact and short; always the same for the same thing
- priority: S0 dangerous or losing data, S1 the task is not done without it,
  S2 it should be better, S3 cosmetic
- description: what is to be done, so that a stranger can
- files: the paths that it is about

Report nothing that the task does not need. When nothing is left to do, report an
empty list: that is a good answer.
`)
	b.progress(&p)
	if done := finished(q); done != "" {
		p.WriteString("\nThese were found before and are done. Report one of them again only if it is still\nwrong:\n" + untrusted.Fence(done) + "\n")
	}
	return p.String()
}

// finished are the titles of what was done last.
func finished(q *workqueue.Queue) string {
	var titles []string
	for _, it := range q.Items {
		if it.Status == workqueue.Done && !workqueue.IsGate(it.Source) {
			titles = append(titles, it.Title)
		}
	}
	return strings.Join(titles[max(0, len(titles)-shownDone):], "\n")
}

// assignment is what the agent is asked that does the work.
func (b *checker) assignment(q *workqueue.Queue, items []workqueue.Item, again bool) string {
	var p strings.Builder
	fmt.Fprintf(&p, "The task is:\n\n%s\n\nDo the following now, the first first, and nothing else:\n", b.Task)
	for _, it := range items {
		fmt.Fprintf(&p, "\n%s (%s", it.ID, it.Priority)
		if workqueue.IsGate(it.Source) {
			p.WriteString("; a check found it, and it is done when the check no longer does")
		}
		text := it.Title
		if it.Description != "" {
			text += "\n\n" + it.Description
		}
		if len(it.Files) > 0 {
			text += "\n\nFiles: " + strings.Join(it.Files, ", ")
		}
		p.WriteString("):\n" + untrusted.Fence(text) + "\n")
	}
	if rec := q.Loop.Record; rec.Iteration == rec.Changed { // none was evaluated since
		if another := rec.Another(rec.Changed + 1); another != "" {
			p.WriteString("\nImportant: " + untrusted.Line(another) + ". Read what was tried before, find out why it\ndid not help, and do something else.\n")
		}
	}
	b.progress(&p)
	p.WriteString(`
These checks are run when you are done. A check that fails is fixed in the code that
it is about: never skip, weaken or remove a test, and never turn a check off.
`)
	for _, g := range b.gates {
		if g.Command != "" {
			fmt.Fprintf(&p, "- %s: %s\n", g.Name, untrusted.Line(g.Command))
		}
	}
	p.WriteString(`
In your result name the ids of the items that you have completed (items_completed),
what you did (summary), and, if you came across work that the task needs and that is
none of these items, its titles (items). Claim nothing that is not done.
`)
	if again {
		p.WriteString("\nThis was begun before and broken off: look at what is there already before you do\nanything twice.\n")
	}
	return p.String()
}

func (b *checker) progress(p *strings.Builder) {
	if b.Progress != "" {
		fmt.Fprintf(p, "\nWhat earlier iterations did and learned is in %s: read it first.\n", b.Progress)
	}
}
