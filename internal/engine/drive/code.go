package drive

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/drive"
	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
	"warp/internal/turnstile"
)

// coder has requirements planned, split and implemented.
type coder struct{ *Engine }

// codeChunk has the agent implement the chunk. What a run that is over has left in
// the work tree is judged before another one is begun.
func (e *coder) codeChunk(ctx context.Context, s *drive.State) (move, error) {
	e.showCriteria(s)
	e.takeLateAnswers(s)
	tree, err := e.Drive.Tree.Fingerprint()
	if err != nil {
		return move{}, err
	}
	page := e.ledger.page(s)
	if m, given, err := e.skipper.wasSkipped(ctx, s, page); given || err != nil {
		return m, err
	}
	if e.wasCoded(page, s, tree) {
		return e.completeCoding(s), nil
	}
	if tree == s.Chunk.Base { // a drive that came from another machine has none
		if err := e.tester.baseline(ctx, s); err != nil {
			return move{}, err
		}
	}
	t := e.codingTask(page, s)
	e.committer.straight = attempts(page, s) == 0
	res, err := e.runner.runAgent(ctx, s, t)
	if err != nil {
		return move{}, err
	}
	switch {
	case res.End == agent.Done && decision(res) != nil:
		return e.askForDecision(ctx, s, res)
	case res.End != agent.Done:
		return e.unfinishedRun(s, res)
	}
	e.adviseOnSeeds(s)
	return e.completeCoding(s), nil
}

// adviseOnSeeds tells people what they may want to know about what an agent made.
func (e *coder) adviseOnSeeds(s *drive.State) {
	if tree, err := e.Drive.Tree.Fingerprint(); err == nil {
		e.devKeeper.adviseSeeds(s, tree)
	}
}

// completeCoding is what is true once an agent has done its part: the gates find out
// whether it has.
func (e *coder) completeCoding(s *drive.State) move {
	return move{on: drive.CodeComplete, gates: []turnstile.Gate{e.reviewer.integrity(), {Name: "verifier", Run: e.reviewer.verify}}}
}

// wasCoded tells whether the work tree is what a run has left that nothing has
// found fault with: the engine died after it, or a budget was given anew.
func (e *coder) wasCoded(page *evidence.Book, s *drive.State, tree string) bool {
	last, found := evidence.Last(page.Runs, func(r evidence.Run) bool {
		return r.Chunk == s.Chunk.Index && (r.Role == string(agent.Code) || r.Role == string(agent.Fix)) && r.Phase == string(drive.Coding)
	})
	if !found || last.Row.End != string(agent.Done) || last.Row.Tree != tree || tree == s.Chunk.Base {
		return false
	}
	if f := fault(page, s); f != nil && f.n > last.N {
		return false
	}
	_, asked := evidence.Last(page.Decisions, func(d evidence.Decision) bool { return d.Chunk == s.Chunk.Index })
	return !asked
}

// found is the newest fault that was found with a chunk.
type found struct {
	n        int // its place in the book
	by, text string
}

// fault looks for what has to be mended: a gate that refused, tests that fail.
func fault(page *evidence.Book, s *drive.State) *found {
	var f *found
	g, ok := evidence.Last(page.Gates, func(g evidence.Gate) bool { return g.Chunk == s.Chunk.Index && !g.Passed && !g.Untried })
	if ok {
		f = &found{g.N, g.Row.Gate, strings.TrimSpace(g.Row.Reason + "\n" + g.Row.Excerpt)}
	}
	t, ok := evidence.Last(page.Tests, func(t evidence.Tested) bool { return t.Chunk == s.Chunk.Index && t.Stage == stageChunk })
	if ok && !t.Row.Passed && (f == nil || t.N > f.n) {
		f = &found{t.N, t.Row.Command, t.Row.Excerpt}
	}
	return f
}

// codingTask is what the agent is asked: to implement the chunk, or to mend
// what was found. The first mending goes on in the same conversation; after
// that another approach is asked for, of a mind that does not cling to the old.
func (e *coder) codingTask(page *evidence.Book, s *drive.State) agent.Task {
	f, tries := fault(page, s), attempts(page, s)
	p := codePrompt{subject: e.issue, chunk: e.presentCriteria(s), index: s.Chunk.Index, total: s.Chunk.Total, tests: e.tester.suiteCommand(), fault: f, attempt: tries + 1}
	if plan, ok := evidence.Last(page.Plans, func(evidence.Plan) bool { return true }); ok {
		p.approach = plan.Row.Approach
	}
	for _, d := range page.Decisions {
		if d.Row.Answer != "" {
			p.decisions = append(p.decisions, d.Row)
		}
	}
	t := agent.Task{Role: agent.Code, Criteria: s.Present()}
	if f != nil && tries > 0 {
		t.Role = agent.Fix
		if tries == 1 {
			last, _ := evidence.Last(page.Runs, func(r evidence.Run) bool { return r.Chunk == s.Chunk.Index && r.Role == string(agent.Code) })
			if last.Row.Agent == e.Agents.Adapters[0].Name() { // another agent has another memory
				t.Session, p.resumed = last.Row.Session, last.Row.Session != ""
			}
			if p.resumed { // the conversation has them
				p.approach, p.decisions = "", nil
			}
		}
	}
	t.Prompt = p.String()
	return t
}

// suiteCommand is the test command, "" when tests are not run.
func (e *tester) suiteCommand() string {
	command, err := e.testCommand()
	if err != nil || !e.cfg.TestBeforeCommit {
		return ""
	}
	return command
}

// attempts counts the runs that a chunk has had.
func attempts(page *evidence.Book, s *drive.State) (n int) {
	for _, r := range page.Runs {
		if r.Row.Chunk == s.Chunk.Index && r.Row.Phase == string(drive.Coding) && (r.Row.Role == string(agent.Code) || r.Row.Role == string(agent.Fix)) {
			n++
		}
	}
	return n
}

func (e *coder) presentCriteria(s *drive.State) []drive.Criterion { return written(s, s.Present()) }

func written(s *drive.State, ids []string) (list []drive.Criterion) {
	for _, id := range ids {
		list = append(list, drive.Criterion{ID: id, Text: s.Written(id)})
	}
	return list
}

// unfinishedRun is a run without an end that counts. What is the agent's own
// failure costs the chunk a retry; what is not ends the drive where it is.
func (e *coder) unfinishedRun(s *drive.State, res step.Answer) (move, error) {
	if !res.Spends() {
		return move{}, e.noAgent(s, res)
	}
	if res.Empty {
		return move{}, nil // asked again: the third that comes to nothing ends the night, and costs no chunk
	}
	why := fmt.Sprintf("the agent did not finish (%s): %s", res.End, res.Why)
	return move{on: drive.CodeComplete, gates: []turnstile.Gate{refuse("agent", why)}}, nil
}

func refuse(name, why string) turnstile.Gate {
	return turnstile.Gate{Name: name, First: true, Run: func(context.Context, *drive.State) (string, error) { return why, nil }}
}

// noAgent says why no agent can go on, and how it can.
func (e *coder) noAgent(s *drive.State, res step.Answer) error {
	why := fmt.Sprintf("%s: %s (%s)", res.Agent, res.Why, res.End)
	switch res.End {
	case agent.Budgeted:
		if _, err := e.Drive.ExceedBudget(drive.CostExceeded); err != nil {
			return err
		}
		e.ledger.passPoint("outrun")
		if why := e.runner.overspent; why != "" {
			e.runner.overspent = ""
			return &parked{evidence.Budget, why + "; what was done is in the work tree", raise}
		}
		return &parked{evidence.Budget, fmt.Sprintf("%s (%s); what was done is in the work tree", res.Why, e.runner.describeSpent()), "warp resume --max-cost MORE"}
	case agent.Unpriced:
		return needsPerson("give its model a price in ~/.claude/prices.json, or bound it by --max-tokens, then warp resume", "%s", why)
	case agent.NoAgent:
		return needsPerson("install it (warp agent check says how), then warp resume", "%s", why)
	case agent.NoLogin:
		return needsPerson("log in (warp agent check says how), then warp resume", "%s", why)
	}
	return needsPerson("try again later: warp resume", "%s", why)
}

const (
	maxDiff   = 40_000 // of a diff that is put into a prompt
	maxReason = 2_000
)

// showCriteria tells people which criteria are done and which are under way:
// what is being coded is not done, whatever was checked off for an attempt.
func (e *coder) showCriteria(s *drive.State) {
	var list []Criterion
	for _, c := range e.issue.criteria {
		doing := slices.Contains(s.Present(), c.ID)
		list = append(list, Criterion{ID: c.ID, Text: c.Text, Done: slices.Contains(s.Checked[s.Issue()], c.ID) && (!doing || s.Phase != drive.Coding),
			Doing: doing, Skipped: slices.Contains(s.SkippedCriteria(), c.ID)})
	}
	e.ledger.tell(Note{Kind: Criteria, Criteria: list, Chunk: s.Chunk.Index, Total: s.Chunk.Total})
}
