package drive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/learning"
	"warp/internal/core/lossless"
	"warp/internal/core/text"
	"warp/internal/core/tokens"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/guard"
	"warp/internal/engine/step"
	"warp/internal/sys/proc"
)

const maxReason = 2_000

// equipEngine creates the guard, the clock and the step taker that every step uses.
func equipEngine(e *Engine, hold *step.Lease) (err error) {
	main := filepath.Dir(e.home.Dir())
	if main == e.Drive.Root() {
		main = ""
	}
	e.guard, err = guard.New(guard.Options{Root: e.Drive.Root(), Work: e.Work, Store: e.Drive.Store(), Main: main, State: e.State, Name: "drive", Now: e.Now, Remark: e.remark})
	if err != nil {
		return err
	}
	e.Drive.Tree.Exclude(e.guard.Private)
	e.lander.Guard = e.guard
	_, _ = e.lander.FindRemote(context.Background()) // best effort: asked again where it is needed
	e.awake = proc.AwakeClock(e.Now, e.Asleep)
	began := e.awake()
	e.taker = &step.Taker{
		Agents: func(name string) (step.Agents, error) { return chooseAgents(e, name), nil }, Guard: e.guard, Lease: hold.Check, Live: hold.Live, Record: e.recordRun, Between: e.personChanged,
		Begins: func(s *step.Step) {
			e.tell(Note{Kind: AgentBegan, Speaker: Speaker{Role: s.Role, Agent: cmp.Or(s.Agent, s.First, e.Agents.First(s.Role))}})
		},
		Remark: e.remark, Redact: e.Redact, Passed: e.pass, Now: e.Now, Asleep: e.Asleep,
		Bounds: boundPhase(e, &step.Bounds{Limit: budget.Amount{MicroUSD: e.Budget.MicroUSD, Tokens: e.Budget.Tokens, Time: e.MaxTime}, Explicit: e.Explicit,
			Idle: time.Duration(e.cfg.IdleSeconds) * time.Second, Breaker: e.Breaker, Used: func(ctx context.Context) (string, error) { return checkUsedUp(ctx, e), nil },
			Spent: func(now time.Time) budget.Amount {
				took := max(0, e.awake().Sub(began)-e.waited)
				if !e.Until.IsZero() {
					took = max(took, e.MaxTime-e.Until.Sub(now.Round(0)))
				}
				return e.elsewhere.Add(budget.Amount{MicroUSD: boundedCost(e), Tokens: e.spent.Tokens(), Time: took})
			}}),
	}
	return nil
}

// runAgent runs an agent on a task in a folder, as a step. It fails only if the context ended or
// the guard could not do its work.
func runAgent(ctx context.Context, t *turn, dir string, task agent.Task) (step.Answer, error) {
	s := t.s
	hidden := task.Role == agent.Check || task.Role == agent.Choose
	task.Dir, task.Level, task.Issue, task.Chunk = dir, s.Session.Level, s.Issue(), s.Chunk.Index
	task.Model, task.Effort, task.Timeout = t.Model, effortOf(t, task.Role), t.timeLeft()
	task.Until = t.Now().Add(t.s.Used(t.Now()).SessionLeft(t.cfg.Limits))
	t.at = s
	if !t.remoteChecked {
		if err := checkRemote(ctx, t); err != nil {
			return step.Answer{}, err
		}
		t.remoteChecked = true
	}
	who := nameAgent(t.Engine, task.Role)
	t.Agents.Watch = func(name string, ev agent.Event) { relayEvent(t.ledger, task.Role, name, ev, hidden) }
	row := evidence.Run{Issue: s.Issue(), Chunk: s.Chunk.Index, Phase: string(s.Phase)}
	a, err := t.taker.Run(ctx, step.Step{Agent: who, Task: task, Scope: runScope(t), Row: row, Hidden: hidden})
	var stopped *step.StoppedError
	if err == nil {
		return a, explainConducted(t, a)
	}
	if !errors.As(err, &stopped) {
		return a, err
	}
	night := fmt.Sprintf("%s %d %s", t.Host, t.PID, t.Now().UTC().Format(time.DateOnly))
	if err := t.desk().FileStopped(ctx, stopped.Why, stopped.Do, night); err != nil {
		t.remark("filing the request for a person: %v", err)
	}
	return a, needsPerson(stopped.Do+", then warp resume", "%s", stopped.Why)
}

// askAgent is runAgent for phases that cannot continue without the agent: any end that does not
// count becomes an error that says why no agent can continue, and how it could.
func askAgent(ctx context.Context, t *turn, dir string, task agent.Task) (step.Answer, error) {
	res, err := runAgent(ctx, t, dir, task)
	if err != nil || res.End == agent.Done || res.Spends() {
		return res, err
	}
	if res.End != agent.Budgeted {
		return res, needsPerson(adviceForAgent(res), "%s: %s (%s)", res.Agent, res.Why, res.End)
	}
	timeUp := t.overspent == "" && t.taker.Bounds.IsTimeUp(t.Now())
	reason := drivestate.CostExceeded
	switch {
	case timeUp:
		reason = drivestate.TimeExceeded
	case t.overspent == "" && areTokensUp(t):
		reason = drivestate.TokensExceeded
	}
	v, err := t.Drive.ExceedBudget(reason)
	if err != nil {
		return res, err
	}
	t.pass("outrun")
	if why := t.overspent; why != "" {
		t.overspent = ""
		return res, &parked{evidence.Budget, why + "; the work so far is in the work tree", raiseLimit}
	}
	if timeUp {
		return res, &parked{evidence.Budget, res.Why + "; the work so far is in the work tree", evidence.BudgetAdvice(v.State)}
	}
	money := "cost unknown"
	if micro := t.elsewhere.MicroUSD + boundedCost(t.Engine); micro > 0 {
		money = budget.Dollars(micro)
	}
	spent := fmt.Sprintf("%s, %d tokens", money, t.elsewhere.Tokens+t.spent.Tokens())
	if t.Budget.MicroUSD > 0 {
		spent += ", of " + budget.Dollars(t.Budget.MicroUSD)
	}
	return res, &parked{evidence.Budget, fmt.Sprintf("%s (%s); the work so far is in the work tree", res.Why, spent), evidence.BudgetAdvice(v.State)}
}

// adviceForAgent returns what a person can do about an agent that cannot continue.
func adviceForAgent(a step.Answer) string {
	switch {
	case a.End == agent.Away:
		return "warp next in a session, or warp resume without one"
	case a.Do != "":
		return a.Do + ", then warp resume"
	}
	return "try again later: warp resume"
}

// checkRemote checks whether anything but warp has pushed to the remote: before the first run and
// at the end. The lander checks before each push.
func checkRemote(ctx context.Context, t *turn) error {
	err := t.lander.Remote.Check(ctx, "refs/heads/"+t.s.BranchName())
	if _, is := errors.AsType[*guard.PushedError](err); is {
		t.intervene(t.s, guard.Pushed, "", "%v", err)
	}
	return explainPush(err)
}

// explainPush adds advice to the error about a push that warp did not make.
func explainPush(err error) error {
	if _, is := errors.AsType[*guard.PushedError](err); is {
		return needsPerson("check what was pushed, fix it, then warp resume", "%v", err)
	}
	return err
}

// ownerOf returns the prefix that marks uncommitted changes as an issue's, in any of its sessions.
func ownerOf(issue string) string { return "drive #" + issue + " " }

// runScope returns what an agent of the drive may do. Only the engine may move the drive's branch
// and the branch it merges into.
func runScope(t *turn) guard.Scope {
	s := t.s
	sc := guard.Scope{Owner: ownerOf(s.Issue()) + fmt.Sprint(s.Session.StartedAtEpoch), Label: fmt.Sprintf("issue-%s-chunk-%d", s.Issue(), s.Chunk.Index),
		Documents: []guard.Document{ownState{t.Engine}},
		Expected: func(ref, hash string) bool { // another drive moved it, and recorded that in this one's journal
			branch := strings.TrimPrefix(ref, "refs/heads/")
			v, err := t.Drive.Read()
			return branch != s.BranchName() && err == nil && v.State.Watch[branch].Tip == hash
		},
		Report: func(f guard.Finding) { t.intervene(s, f.What, f.Kept, "%s", f.Text) },
	}
	for _, b := range s.Guards().Branches() {
		sc.Refs = append(sc.Refs, "refs/heads/"+b)
	}
	return sc
}

// ownState is the drive's own document. Only the engine changes it while an agent runs; Repair
// makes the engine its owner again.
type ownState struct{ e *Engine }

func (o ownState) Repair() (repaired bool, err error) {
	v, err := o.e.Drive.Read()
	if durable.IsMissing(err) || err == nil && v.Foreign {
		_, err = o.e.Drive.Doc().Rebuild()
		repaired = err == nil
	}
	repaired = repaired || v.Undone // claiming it writes the last signed version
	if mind := guidingSession(o.e); err == nil && (repaired || !o.e.Drive.Ownership.Claimed(v, o.e.PID, mind)) {
		_, err = o.e.Drive.Claim(o.e.PID, mind)
	}
	return repaired, err
}

// personChanged excludes what a person changed since the last run from the chunk, by making it part
// of the chunk's base.
func (e *Engine) personChanged(paths []string) error {
	if e.at == nil || e.at.Chunk.Base == "" || e.at.Phase == drivestate.Planning {
		return nil
	}
	now, err := e.snapshotWorkTree()
	if err != nil {
		return err
	}
	base, err := e.repo().Trees().Graft(context.Background(), e.at.Chunk.Base, now, paths)
	if err != nil || base == e.at.Chunk.Base {
		return err
	}
	e.remark("changed since the agent's last run, so not by the agent; left uncommitted: %s", text.Quote(paths, 5))
	e.at.Chunk.Base = base
	return e.Drive.SetChunkBase(base)
}

// recoverRun cleans up after an agent whose engine was killed before it could.
func recoverRun(ctx context.Context, e *Engine) error {
	v, err := e.Drive.Read()
	if durable.IsMissing(err) || err == nil && !v.State.Phase.Active() {
		return nil
	}
	if err != nil {
		return err
	}
	sc := runScope((&turn{e, v.State}))
	if borrowsBranch(&turn{e, v.State}) {
		sc.Refs = nil // the branch is the person's, who may have worked on it
	}
	_, err = e.guard.Recover(ctx, sc)
	if changed, is := errors.AsType[*guard.ChangedError](err); is {
		return needsPerson("compare them (the old versions are in "+changed.Before+"), then warp resume", "%v", err)
	}
	return err
}

// Windows returns how much of the agent's subscription is used, as last reported.
func (e *Engine) Windows() (list []tokens.Window) {
	for _, name := range slices.Sorted(maps.Keys(e.windows)) {
		list = append(list, e.windows[name])
	}
	return list
}

// recordRun records a run's cost, outcome and lessons.
func (e *Engine) recordRun(r step.Ran) error {
	res := r.Result
	e.running = agent.Usage{}
	e.spent.Add(res.Usage)
	tree, err := e.snapshotWorkTree()
	row := r.Evidence(e.Redact)
	row.Tree = tree
	var lessons []learning.Said
	if res.JSON != nil && !r.Step.Hidden {
		for _, name := range []string{"lessons", "learnings"} {
			if list := res.JSON.Get(name); list != nil {
				for _, v := range list.Elems {
					var l learning.Said
					_ = l.UnmarshalJSON(lossless.AppendCompact(nil, v)) // never fails: Said accepts any JSON
					if said := l.Text(); said != "" {
						lessons = append(lessons, l)
						row.Lessons = append(row.Lessons, text.Clip(said, maxReason))
					}
				}
			}
		}
	}
	e.recordEvidence(e.at, event.Run, row)
	e.saveLessons(e.at, lessons)
	said := string(res.End)
	if res.Why != "" {
		said += ": " + res.Why
	}
	e.tell(Note{Kind: AgentEnded, Speaker: Speaker{Role: r.Step.Role, Agent: res.Agent}, Text: said, Meter: Meter{Unpriced: row.Unpriced}})
	if len(res.Denials) > 0 {
		e.remark("%s was not permitted: %s", res.Agent, strings.Join(res.Denials, "; "))
	}
	return err
}

// checkUsedUp returns the budget beyond the session that leaves nothing for another run, or "".
func checkUsedUp(ctx context.Context, e *Engine) string {
	if e.Counted == nil {
		return ""
	}
	warnings, stop, err := e.Counted(ctx, e.at, "")
	e.warn(warnings)
	if err != nil {
		e.remark("reading what was spent: %v", err)
	}
	noteOverspent(e, stop)
	return stop
}
