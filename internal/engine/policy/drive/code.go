package drive

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/core/scope"
	"warp/internal/engine/agent"
	"warp/internal/engine/gate"
	"warp/internal/engine/step"
	"warp/internal/turnstile"
)

// codeChunk has the agent implement the chunk. Work that a finished run left in the tree is judged
// before another run starts.
func codeChunk(ctx context.Context, t *turn) (move, error) {
	showCriteria(t)
	if err := takeDecisions(ctx, t); err != nil {
		return move{}, err
	}
	t.Drive.Tree.AssumeChanged() // beginChunk sets what the chunk begins with, without the work that it continues
	tree, err := t.Drive.Tree.Fingerprint()
	if err != nil {
		return move{}, err
	}
	page := t.evidenceOfIssue(t.s)
	if m, skipped, err := wasSkipped(ctx, t, page); skipped || err != nil {
		return m, err
	}
	if d := doubtedCriterion(t); d != nil {
		return askForDecision(ctx, t, d)
	}
	if wasCoded(page, t.s, tree) {
		return completeCoding(t), nil
	}
	if tree == t.s.Chunk.Base { // a drive taken over from another machine has no baseline here
		if err := testBaseline(ctx, t); err != nil {
			return move{}, err
		}
	}
	if !wasBegun(page) { // the money may have ended before the contracts were written
		if err := agreeOnContract(ctx, t); err != nil {
			return move{}, err
		}
	}
	if err := freezeContracts(t); err != nil {
		return move{}, err
	}
	t.chunk.uninterrupted = len(codingRuns(page, t.s)) == 0
	task := codingTask(ctx, t, page)
	f := findFault(page, t.s)
	left, err := t.guard.Leftovers(ctx, ownerOf(t.s.Issue()))
	if err != nil {
		return move{}, err
	}
	isNew := tree == t.s.Chunk.Base && len(left) == 0 // an earlier drive may have done it all
	last, ran := evidence.Last(codingRuns(page, t.s), nil)
	untouched := ran && last.Row.Tree == tree                           // else a fix may be there, whose engine was killed
	task.Works = isNew || f != nil && f.by != faultUnasked && untouched // what stays unasked is for a person to merge
	res, err := askAgent(ctx, t, t.Drive.Root(), task)
	switch {
	case err != nil:
		return move{}, err
	case res.End != agent.Done && res.Empty:
		return move{}, nil // retried: the third empty answer ends the night, but costs no chunk
	case res.End != agent.Done: // the agent's own failure costs the chunk a retry
		why := fmt.Sprintf("the agent did not finish (%s): %s", res.End, res.Why)
		refuse := turnstile.Gate{Name: "agent", When: turnstile.First, Run: func(context.Context, *drivestate.State) (string, error) { return why, nil }}
		return move{on: drivestate.CodeComplete, gates: []turnstile.Gate{refuse}}, nil
	}
	if d := wantedDecision(res); d != nil {
		return askForDecision(ctx, t, d)
	}
	if res.Unread != "" {
		now, err := t.Drive.Tree.Fingerprint()
		if err != nil {
			return move{}, err
		}
		if res.Unread == step.Idle || res.Unread == step.Asks || now == t.s.Chunk.Base {
			return askForDecision(ctx, t, lastWords(t, res))
		}
	}
	if d := disputed(t, tree); d != nil {
		return askForDecision(ctx, t, d)
	}
	if again, err := sendBackUnasked(ctx, t); again || err != nil {
		return move{}, err
	}
	if adviseOnSeeds(t) {
		return move{}, nil // coding continues with the advice in its prompt
	}
	return completeCoding(t), nil
}

// wasBegun reports whether an agent has worked on the requirement in this session.
func wasBegun(page *evidence.Book) bool {
	return slices.ContainsFunc(page.Runs, func(r evidence.Entry[evidence.Run]) bool {
		return r.Row.Role == string(agent.Code) || r.Row.Role == string(agent.Fix)
	})
}

// codingRuns returns the coding and fixing runs of the present chunk.
func codingRuns(page *evidence.Book, s *drivestate.State) (runs []evidence.Entry[evidence.Run]) {
	for _, r := range page.Runs {
		if r.Row.Chunk == s.Chunk.Index && r.Row.Phase == string(drivestate.Coding) && (r.Row.Role == string(agent.Code) || r.Row.Role == string(agent.Fix)) {
			runs = append(runs, r)
		}
	}
	return runs
}

// countTries returns how often the present chunk was tried. To ask for a missing answer is no try.
func countTries(page *evidence.Book, s *drivestate.State) (n int) {
	for _, r := range codingRuns(page, s) {
		if !r.Row.Again {
			n++
		}
	}
	return n
}

// wasCoded reports whether the work tree is as a finished run left it, with no fault found since:
// the engine died after the run, or a budget was renewed.
func wasCoded(page *evidence.Book, s *drivestate.State, tree string) bool {
	last, found := evidence.Last(codingRuns(page, s), nil)
	if !found || last.Row.End != string(agent.Done) || last.Row.Tree != tree || tree == s.Chunk.Base {
		return false
	}
	if f := findFault(page, s); f != nil && f.n > last.N {
		return false
	}
	if g, advised := findSeedAdvice(page, s); advised && g.N > last.N && g.Row.Reason != "" {
		return false
	}
	d, decided := evidence.Last(page.Decisions, func(d evidence.Decision) bool { return d.Chunk == s.Chunk.Index })
	return !decided || d.N < last.N // decided after the run, which does not know of it
}

// fault is the newest problem found with a chunk.
type fault struct {
	n        int // its place in the book
	by, text string
	keys     []string // what identifies it
	gate     bool     // a gate refused
	repeated bool     // an earlier try had it, too
}

// findFault returns what has to be fixed: the newest gate that refused or test run that failed.
func findFault(page *evidence.Book, s *drivestate.State) *fault {
	var f *fault
	g, ok := evidence.Last(page.Gates, func(g evidence.Gate) bool { return g.Chunk == s.Chunk.Index && !g.Passed && !g.Untried })
	if ok {
		f = &fault{n: g.N, gate: true, by: g.Row.Gate, text: strings.TrimSpace(g.Row.Reason + "\n" + g.Row.Excerpt), keys: gateKeys(g.Row)}
	}
	r, ok := evidence.Last(page.Tests, func(r evidence.Tested) bool { return r.Chunk == s.Chunk.Index && r.Stage == gate.Chunk })
	if ok && !r.Row.Passed && (f == nil || r.N > f.n) {
		f = &fault{n: r.N, by: r.Row.Command, text: r.Row.Excerpt, keys: testKeys(r.Row)}
	}
	if f != nil {
		f.repeated = wasFoundBefore(page, s, f)
	}
	u, ok := evidence.Last(page.Unasked, func(u evidence.Unasked) bool { return u.Chunk == s.Chunk.Index && u.Stage == evidence.UnaskedTold })
	if ok && (f == nil || u.N > f.n) {
		f = &fault{n: u.N, by: faultUnasked, text: scope.Describe(u.Row.Points)}
	}
	return f
}

// codingTask returns the agent's task: implement the chunk, or fix what was found. The first fix
// continues the same conversation; later ones start a new one, so that the agent tries another
// approach.
func codingTask(ctx context.Context, t *turn, page *evidence.Book) agent.Task {
	f, tries := findFault(page, t.s), countTries(page, t.s)
	p := codePrompt{subject: t.issue, chunk: criteriaByID(t.s, t.s.Chunk.Present()), index: t.s.Chunk.Index, total: t.s.Chunk.Total,
		tests: suiteCommand(t.Engine), took: suiteTime(t), decisions: decisionsMade(t), fault: f, attempt: tries + 1, work: findStanding(ctx, t, page)}
	if plan, ok := evidence.Last(page.Plans, nil); ok {
		p.approach = plan.Row.Approach
	}
	if follow := t.following(); follow != nil && f != nil {
		p.approach = follow.Said
	} else if follow != nil {
		p.fault = &fault{by: "Feedback on " + pullName(follow), text: follow.Said}
	}
	if last, ran := evidence.Last(codingRuns(page, t.s), nil); ran && f == nil {
		if g, advised := findSeedAdvice(page, t.s); advised && g.N > last.N {
			p.advice = g.Row.Reason
		}
	}
	if set, err := checksOf(t); err == nil {
		p.contracts = set.Contracts(t.s.Chunk.Present())
	}
	p.seeds = t.Dev != nil && t.cfg.DevSeed && t.Dev.Present()
	task := agent.Task{Role: agent.Code, Criteria: t.s.Chunk.Present()}
	if (f != nil || p.advice != "") && tries > 0 {
		task.Role = agent.Fix
		if tries == 1 {
			last, _ := evidence.Last(page.Runs, func(r evidence.Run) bool { return r.Chunk == t.s.Chunk.Index && r.Role == string(agent.Code) })
			if last.Row.Agent == t.Agents.First(agent.Fix) { // a different agent does not know that conversation
				task.Session, p.resumed = last.Row.Session, last.Row.Session != ""
			}
			if p.resumed { // the conversation has them already
				p.approach, p.decisions, p.work.lessons = "", nil, nil
			}
		}
	}
	task.Prompt = p.String()
	return task
}

func criteriaByID(s *drivestate.State, ids []string) (list []drivestate.Criterion) {
	for _, id := range ids {
		list = append(list, drivestate.Criterion{ID: id, Text: s.CriterionText(id)})
	}
	return list
}

// showCriteria tells people which criteria are done and which are in progress. A criterion that is
// being coded counts as open, even if an earlier attempt checked it off.
func showCriteria(t *turn) {
	s := t.s
	var list []Criterion
	for _, c := range t.issue.criteria {
		doing := slices.Contains(s.Chunk.Present(), c.ID)
		list = append(list, Criterion{ID: c.ID, Text: c.Text, Done: slices.Contains(s.Checked[s.Issue()], c.ID) && (!doing || s.Phase != drivestate.Coding),
			Doing: doing, Skipped: slices.Contains(s.Chunk.SkippedCriteria(), c.ID)})
	}
	t.tell(Note{Kind: Criteria, Criteria: list, Move: Move{Chunk: s.Chunk.Index, Total: s.Chunk.Total}})
}
