package drive

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/core/usage"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/guard"
	"warp/internal/engine/land"
	"warp/internal/engine/step"
)

// runner has agents do things, as steps under guard and within bounds.
type runner struct {
	*Engine
	guard     *guard.Guard
	remotes   *guard.Remote
	asked     bool // the remote was, before the first run
	lander    *land.Lander
	taker     *step.Taker
	at        *drive.State // where the present run is
	spent     agent.Usage  // of the runs that are over
	running   agent.Usage  // of the one that is not
	windows   map[string]usage.Window
	overspent string // the budget that is used up
	until     time.Time
}

// equip makes what every step of the drive is taken with.
func (e *runner) equip(lease func() error) (err error) {
	main := filepath.Dir(e.ledger.home().Dir())
	if main == e.Drive.Root() {
		main = ""
	}
	e.guard, err = guard.New(guard.Options{Root: e.Drive.Root(), Store: e.Drive.Store(), Main: main, State: e.State, Name: "drive", Now: e.Now, Remark: e.ledger.remark})
	if err != nil {
		return err
	}
	e.Drive.Tree.Exclude(e.guard.Private)
	e.lander = &land.Lander{Work: e.Work, Guard: e.guard, Home: e.ledger.home(), Process: step.Process{PID: e.PID, Host: e.Host}, Moved: e.merger.branchMoved,
		Wait: e.Agents.Wait, Remark: e.ledger.remark, Passed: e.ledger.passPoint, Now: e.Now}
	if name, ok, err := e.trees.remote(context.Background()); err == nil && ok {
		e.remotes = &guard.Remote{Work: e.Work, Name: name, Remark: e.ledger.remark}
		e.lander.Remote = e.remotes
	}
	e.taker = &step.Taker{
		Agents: func(string) (step.Agents, error) { return e.Agents, nil }, Guard: e.guard, Lease: lease, Record: e.recordRun, Between: e.personChanged,
		Remark: e.ledger.remark, Redact: e.Redact, Passed: e.ledger.passPoint, Now: e.Now,
		Bounds: &step.Bounds{Limit: budget.Amount{MicroUSD: e.Budget.MicroUSD, Tokens: e.Budget.Tokens, Time: e.MaxTime}, Explicit: e.Explicit, Idle: time.Duration(e.cfg.IdleSeconds) * time.Second,
			Spent:   e.measureSpent(e.Now()),
			Breaker: e.Breaker, Used: e.checkUsedUp},
	}
	return nil
}

// measureSpent is what the session has used, from the time that this run of it began.
func (e *runner) measureSpent(began time.Time) func(time.Time) budget.Amount {
	return func(now time.Time) budget.Amount {
		return budget.Amount{MicroUSD: e.spent.MicroUSD, Tokens: e.spent.Tokens(), Time: now.Sub(began)}
	}
}

// runAgent has an agent do a task in the drive's work tree.
func (e *runner) runAgent(ctx context.Context, s *drive.State, t agent.Task) (step.Answer, error) {
	return e.runAgentIn(ctx, s, e.Drive.Root(), t)
}

// runAgentIn has an agent do a task as a step. The error is the context's, or says that
// the guard could not do its work.
func (e *runner) runAgentIn(ctx context.Context, s *drive.State, dir string, t agent.Task) (step.Answer, error) {
	t.Dir, t.Level, t.Issue, t.Chunk = dir, s.Session.Level, s.Issue(), s.Chunk.Index
	t.Model, t.Effort, t.Timeout = e.Model, e.effort(s.Phase, t.Role), e.timeLeft(s)
	e.at = s
	if !e.asked {
		if err := e.checkRemote(ctx, s); err != nil {
			return step.Answer{}, err
		}
		e.asked = true
	}
	e.ledger.tell(Note{Kind: AgentBegan, Role: t.Role, Agent: e.Agents.Adapters[0].Name()})
	e.Agents.Watch = func(name string, ev agent.Event) { e.watchAgent(t.Role, name, ev) }
	a, err := e.taker.Run(ctx, step.Step{Task: t, Scope: e.runScope(s), Row: evidence.Run{Issue: s.Issue(), Chunk: s.Chunk.Index, Phase: string(s.Phase), Criteria: t.Criteria}})
	var stopped *step.StoppedError
	if errors.As(err, &stopped) {
		e.filer.fileStopped(ctx, s, stopped)
		return a, needsPerson(stopped.Do+", then warp resume", "%s", stopped.Why)
	}
	return a, err
}

// fileStopped files that nothing goes on without a person: once for a night, however
// many requirements it has.
func (e *filer) fileStopped(ctx context.Context, s *drive.State, stopped *step.StoppedError) {
	p := page{"warp-drive: stopped, a person is needed", fmt.Sprintf("%s\n\n%s.\n", evidence.Quoted(stopped.Why), stopped.Do)}
	if err := e.fileIssue(ctx, s, "todo", p, []string{labelTodo, labelDrive}, fmt.Sprintf("<!-- warp-drive stopped %s %d %s -->", e.Host, e.PID, e.Now().UTC().Format(time.DateOnly))); err != nil {
		e.ledger.remark("that a person is needed could not be filed: %v", err)
	}
}

// checkRemote asks the remote whether something else than warp has pushed to it:
// before the first run, and at the end. The lander asks before each push.
func (e *runner) checkRemote(ctx context.Context, s *drive.State) error {
	err := e.remotes.Check(ctx, "refs/heads/"+s.BranchName())
	var pushed *guard.PushedError
	if errors.As(err, &pushed) {
		e.ledger.intervene(s, guard.Pushed, "", "%v", err)
		return needsPerson("look at what was pushed, put it right, then warp resume", "%v", err)
	}
	return err
}

// owner is whose work uncommitted changes are.
func owner(s *drive.State) string { return ownerOf(s.Issue()) + fmt.Sprint(s.Session.StartedAtEpoch) }

func ownerOf(issue string) string { return "drive #" + issue + " " }

// beginChunk looks at what the first chunk of a drive begins with: the work tree,
// without what an earlier drive of the same requirement has left there unfinished.
// That is the chunk's work.
func (e *runner) beginChunk(ctx context.Context, s *drive.State) error {
	tree, err := e.trees.snapshotWorkTree()
	if err != nil {
		return err
	}
	left, err := e.guard.Leftovers(ctx, ownerOf(s.Issue()))
	if err != nil || len(left) == 0 {
		return err
	}
	head, err := e.trees.head()
	if err == nil {
		tree, err = e.trees.repo().Graft(ctx, tree, head, left)
	}
	if err != nil {
		return err
	}
	e.ledger.remark("an earlier drive of #%s left unfinished work here; this one goes on with it: %s", s.Issue(), text.Quote(left, 5))
	e.guard.Inherit(left)
	e.Drive.Tree.AssumeUnchanged(tree)
	return nil
}

// runScope is what an agent of the drive may do: the drive's branch and the one that
// it is merged into are the engine's to move.
func (e *runner) runScope(s *drive.State) guard.Scope {
	sc := guard.Scope{Owner: owner(s), Label: fmt.Sprintf("issue-%s-chunk-%d", s.Issue(), s.Chunk.Index), Documents: []guard.Document{ownState{e.Engine}},
		Expected: func(ref, hash string) bool {
			branch := strings.TrimPrefix(ref, "refs/heads/")
			return branch != s.BranchName() && e.merger.mergedByOthers(branch, hash)
		},
		Report: func(f guard.Finding) { e.ledger.intervene(s, f.What, f.Kept, "%s", f.Text) },
	}
	for _, b := range s.Guarded() {
		sc.Refs = append(sc.Refs, "refs/heads/"+b)
	}
	return sc
}

// ownState is the drive's own document, which only the engine changes while an
// agent runs; afterwards the engine is its owner again.
type ownState struct{ e *Engine }

func (o ownState) Repair() (repaired bool, err error) {
	v, err := o.e.Drive.Read()
	if durable.IsMissing(err) || err == nil && v.Foreign {
		_, err = o.e.Drive.Doc().Rebuild()
		repaired = err == nil
	}
	if err == nil {
		_, err = o.e.Drive.Claim(o.e.PID)
	}
	return repaired, err
}

// personChanged takes what a person changed since the last run out of the chunk:
// it begins with it.
func (e *runner) personChanged(paths []string) error {
	if e.at == nil || e.at.Chunk.Base == "" || e.at.Phase == drive.Planning {
		return nil
	}
	now, err := e.trees.snapshotWorkTree()
	if err != nil {
		return err
	}
	base, err := e.trees.repo().Graft(context.Background(), e.at.Chunk.Base, now, paths)
	if err != nil || base == e.at.Chunk.Base {
		return err
	}
	e.ledger.remark("changed since the last run of the agent, and so not by it; this stays yours and is not committed: %s", text.Quote(paths, 5))
	e.at.Chunk.Base = base
	return e.Drive.SetChunkBase(base)
}

// recoverRun looks after an agent whose engine was killed before it could.
func (e *runner) recoverRun(ctx context.Context) error {
	v, err := e.Drive.Read()
	if durable.IsMissing(err) || err == nil && !v.State.Phase.Active() {
		return nil
	}
	if err != nil {
		return err
	}
	sc := e.runScope(v.State)
	if v.State.Session.Level == 2 && !e.Own {
		sc.Refs = nil // the branch is the person's, who may have gone on
	}
	_, err = e.guard.Recover(ctx, sc)
	var changed *guard.ChangedError
	if errors.As(err, &changed) {
		return needsPerson("look at them (as they were, they are in "+changed.Before+"), then warp resume", "%v", err)
	}
	return err
}

// watchAgent passes on what an agent does while it runs.
func (e *runner) watchAgent(role agent.Role, name string, ev agent.Event) {
	if ev.Usage != nil {
		e.running = *ev.Usage
	}
	for _, w := range ev.Windows {
		if e.windows == nil {
			e.windows = map[string]usage.Window{}
		}
		e.windows[w.Name] = w
	}
	e.ledger.tell(Note{Kind: AgentSaid, Role: role, Agent: name, Said: &ev, Tool: ev.Tool, Text: ev.Text})
}

// Windows is how much of the agent's subscription is used, as it said last.
func (e *Engine) Windows() (list []usage.Window) {
	for _, name := range slices.Sorted(maps.Keys(e.runner.windows)) {
		list = append(list, e.runner.windows[name])
	}
	return list
}

// recordRun keeps what a run has cost and how it ended.
func (e *runner) recordRun(r step.Ran) error {
	res, u := r.Result, r.Result.Usage
	e.running = agent.Usage{}
	e.spent.Add(u)
	tree, err := e.trees.snapshotWorkTree()
	row := r.Step.Row
	row.Role, row.Agent, row.Model, row.Session, row.End, row.Why = string(r.Step.Role), res.Agent, u.Model, res.Session, string(res.End), text.Clip(res.Why, maxReason)
	row.Input, row.Output, row.CacheRead, row.CacheWrite, row.MicroUSD, row.Unpriced, row.Turns = u.Input, u.Output, u.CacheRead, u.CacheWrite, u.MicroUSD, !u.Priced, u.Turns
	row.Seconds, row.Denials, row.Orphans, row.Tree, row.Log = res.Duration.Seconds(), len(res.Denials), res.Orphans, tree, res.Log
	if res.JSON != nil {
		row.Summary = text.Clip(res.JSON.Get("summary").Text(), maxReason)
		for _, name := range []string{"lessons", "learnings"} {
			if list := res.JSON.Get(name); list != nil {
				for _, l := range list.Elems {
					row.Lessons = append(row.Lessons, text.Clip(l.Text(), maxReason))
				}
			}
		}
	}
	e.ledger.keepRows(e.at, event.Run, row)
	said := string(res.End)
	if res.Why != "" {
		said += ": " + res.Why
	}
	e.ledger.tell(Note{Kind: AgentEnded, Role: r.Step.Role, Agent: res.Agent, Text: said, Unpriced: row.Unpriced})
	if len(res.Denials) > 0 {
		e.ledger.remark("%s was not permitted: %s", res.Agent, strings.Join(res.Denials, "; "))
	}
	return err
}

// hasBudgetLeft tells whether something is left of the session's budget.
func (e *runner) hasBudgetLeft() bool {
	_, ok := e.taker.Bounds.Limit.Left(e.taker.Bounds.Spent(e.Now()))
	return ok
}

// checkUsedUp says which budget beyond the session leaves nothing for another run.
func (e *runner) checkUsedUp(ctx context.Context) (string, error) {
	if e.Counted == nil {
		return "", nil
	}
	warnings, stop, err := e.Counted(ctx, e.at, "")
	e.ledger.warn(warnings)
	if err != nil {
		e.ledger.remark("what was spent could not be found out: %v", err)
	}
	e.overspent = stop
	return stop, nil
}

// describeSpent says what the session has cost.
func (e *runner) describeSpent() string {
	said := fmt.Sprintf("%s, %d tokens", budget.Dollars(e.spent.MicroUSD), e.spent.Tokens())
	if e.Budget.MicroUSD > 0 {
		said += ", of " + budget.Dollars(e.Budget.MicroUSD)
	}
	return said
}

// effort is how hard an agent is to think in a phase: hard where it plans and
// judges, unless the settings say otherwise.
func (e *runner) effort(p drive.Phase, role agent.Role) string {
	if set := e.cfg.Reasoning[string(p)]; set != "" {
		return set
	}
	if p == drive.Planning || p == drive.Testing || role == agent.Verify {
		return "high"
	}
	return "standard"
}

// timeLeft bounds one run: by the phase where its limit is enforced, by the
// session always.
func (e *runner) timeLeft(s *drive.State) time.Duration {
	limit := max(time.Minute, s.SessionLeft(e.cfg.Limits, e.Now()))
	if e.cfg.Limits.PhaseEnforcement != drive.Warn {
		limit = min(limit, time.Duration(e.cfg.Limits.PhaseMinutes)*time.Minute)
	}
	return limit
}
