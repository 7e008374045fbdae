package drive

import (
	"context"
	"fmt"
	"strings"

	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/judge"
	"warp/internal/engine/step"
)

// reviewer judges what an agent has made of a chunk.
type reviewer struct {
	*Engine
	ignores bool // the chunk edits what git ignores
}

// verify is the gate before code_complete.
func (e *reviewer) verify(ctx context.Context, s *drive.State) (string, error) {
	tree, err := e.Drive.Tree.Fingerprint()
	if err != nil {
		return "", err
	}
	return e.judge(ctx, s, sight{dir: e.Drive.Root(), base: s.Chunk.Base, tree: tree, criteria: s.Present(), ignored: e.listNewlyIgnored(ctx)})
}

// sight is what a verifier is shown: a work tree, how it differs from another
// tree, and what is to be judged by that.
type sight struct {
	dir, base, tree string
	criteria        []string
	ignored         []string // files that are not part of it
}

// judge has another agent, with a fresh mind and nothing but reading, judge each
// criterion from the diff.
func (e *reviewer) judge(ctx context.Context, s *drive.State, w sight) (string, error) {
	if e.wasJudged(s, w) {
		return "", nil
	}
	diff, cut, err := e.Work.Diff(ctx, w.base, w.tree, maxDiff)
	if err != nil {
		return "", err
	}
	t := agent.Task{Role: agent.Verify, ReadOnly: true, Criteria: w.criteria, Prompt: verifyPrompt(e.issue, written(s, w.criteria), diff, cut, w.ignored)}
	var res step.Answer
	for range judge.Asks { // an answer that is none is asked for once more
		if res, err = e.runner.runAgentIn(ctx, s, w.dir, t); err != nil {
			return "", err
		}
		if res.End != agent.Done && !res.Spends() {
			return "", e.coder.noAgent(s, res)
		}
		var said judge.Answer
		if res.Read(&said) {
			return e.recordVerdicts(s, res.Agent, said, w), nil
		}
	}
	return fmt.Sprintf("the verifier gave no verdict (%s %s%s), so nothing counts as met", res.End, res.Why, res.Invalid), nil
}

// listNewlyIgnored lists files that the chunk's own edit of .gitignore keeps out of
// its commit: they do not count as work.
func (e *reviewer) listNewlyIgnored(ctx context.Context) []string {
	if !e.ignores {
		return nil
	}
	list, err := e.trees.ignored(ctx)
	if err != nil {
		return nil
	}
	return list[:min(len(list), 50)]
}

// wasJudged tells whether every criterion was found met in this very tree.
func (e *reviewer) wasJudged(s *drive.State, w sight) bool {
	page := e.ledger.page(s)
	for _, id := range w.criteria {
		v, ok := evidence.Last(page.Verdicts, func(v evidence.Verdict) bool { return v.ID == id && v.Chunk == s.Chunk.Index })
		if !ok || !v.Row.Met || v.Row.Tree != w.tree {
			return false
		}
	}
	return true
}

// recordVerdicts records what the verifier said.
func (e *reviewer) recordVerdicts(s *drive.State, who string, said judge.Answer, w sight) (reason string) {
	var wanting []string
	var rows []any
	for _, v := range said.Verdicts(w.criteria) {
		row := evidence.Verdict{Issue: s.Issue(), Chunk: s.Chunk.Index, ID: v.ID, Met: v.Met, Reason: text.Clip(v.Reason, maxReason), Agent: who, Tree: w.tree}
		rows = append(rows, row)
		e.ledger.tell(Note{Kind: Judged, Text: row.ID + ": " + row.Reason, Passed: &row.Met})
		if !row.Met {
			wanting = append(wanting, fmt.Sprintf("%s is not met: %s", row.ID, row.Reason))
		}
	}
	e.ledger.keepRows(s, event.Verdict, rows...)
	e.ledger.passPoint("verified")
	return strings.Join(wanting, "\n")
}
