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

// equipEngine makes what every step of the drive is taken with.
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
	_, _ = e.lander.FindRemote(context.Background()) // it is asked again where it is needed
	e.awake = proc.AwakeClock(e.Now, e.Asleep)
	began := e.awake()
	e.taker = &step.Taker{
		Agents: func(name string) (step.Agents, error) { return chooseAgents(e, name), nil }, Guard: e.guard, Lease: hold.Check, Live: hold.Live, Record: e.recordRun, Between: e.personChanged,
		Remark: e.remark, Redact: e.Redact, Passed: e.pass, Now: e.Now, Asleep: e.Asleep,
		Bounds: boundPhase(e, &step.Bounds{Limit: budget.Amount{MicroUSD: e.Budget.MicroUSD, Tokens: e.Budget.Tokens, Time: e.MaxTime}, Explicit: e.Explicit,
			Idle: time.Duration(e.cfg.IdleSeconds) * time.Second, Breaker: e.Breaker, Used: func(ctx context.Context) (string, error) { return checkUsedUp(ctx, e), nil },
			Spent: func(now time.Time) budget.Amount {
				took := max(0, e.awake().Sub(began)-e.waited)
				if !e.Until.IsZero() {
					took = max(took, e.MaxTime-e.Until.Sub(now.Round(0)))
				}
				return e.elsewhere.Add(budget.Amount{MicroUSD: e.spent.MicroUSD, Tokens: e.spent.Tokens(), Time: took})
			}}),
	}
	return nil
}

// runAgent has an agent do a task in a folder, as a step. The error is the context's,
// or says that the guard could not do its work.
func runAgent(ctx context.Context, t *turn, dir string, task agent.Task) (step.Answer, error) {
	s := t.s
	task.Dir, task.Level, task.Issue, task.Chunk = dir, s.Session.Level, s.Issue(), s.Chunk.Index
	task.Model, task.Effort, task.Timeout = t.Model, effortOf(t, task.Role), t.timeLeft()
	task.Until = t.Now().Add(t.s.Used(t.Now()).SessionLeft(t.cfg.Limits))
	t.at = s
	if !t.asked {
		if err := checkRemote(ctx, t); err != nil {
			return step.Answer{}, err
		}
		t.asked = true
	}
	who := nameAgent(t.Engine, task.Role)
	t.tell(Note{Kind: AgentBegan, Speaker: Speaker{Role: task.Role, Agent: cmp.Or(who, t.Agents.Adapters[0].Name())}})
	t.Agents.Watch = func(name string, ev agent.Event) { relayEvent(t.ledger, task.Role, name, ev) }
	row := evidence.Run{Issue: s.Issue(), Chunk: s.Chunk.Index, Phase: string(s.Phase)}
	a, err := t.taker.Run(ctx, step.Step{Agent: who, Task: task, Scope: runScope(t), Row: row})
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

// askAgent is runAgent where a run without an end that counts leads nowhere: the error
// says why no agent can continue, and how it can.
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
		return res, &parked{evidence.Budget, why + "; the work so far is in the work tree", raise}
	}
	if timeUp {
		return res, &parked{evidence.Budget, res.Why + "; the work so far is in the work tree", evidence.WayOn(v.State)}
	}
	spent := fmt.Sprintf("%s, %d tokens", budget.Dollars(t.elsewhere.MicroUSD+t.spent.MicroUSD), t.elsewhere.Tokens+t.spent.Tokens())
	if t.Budget.MicroUSD > 0 {
		spent += ", of " + budget.Dollars(t.Budget.MicroUSD)
	}
	return res, &parked{evidence.Budget, fmt.Sprintf("%s (%s); the work so far is in the work tree", res.Why, spent), evidence.WayOn(v.State)}
}

// adviceForAgent says what a person can do about an agent that cannot continue.
func adviceForAgent(a step.Answer) string {
	switch {
	case a.End == agent.Away:
		return "warp next in a session, or warp resume without one"
	case a.Do != "":
		return a.Do + ", then warp resume"
	}
	return "try again later: warp resume"
}

// checkRemote asks the remote whether something else than warp has pushed to it:
// before the first run, and at the end. The lander asks before each push.
func checkRemote(ctx context.Context, t *turn) error {
	err := t.lander.Remote.Check(ctx, "refs/heads/"+t.s.BranchName())
	var pushed *guard.PushedError
	if errors.As(err, &pushed) {
		t.intervene(t.s, guard.Pushed, "", "%v", err)
	}
	return explainPush(err)
}

// explainPush says what to do about a push that warp did not make.
func explainPush(err error) error {
	var pushed *guard.PushedError
	if errors.As(err, &pushed) {
		return needsPerson("check what was pushed, fix it, then warp resume", "%v", err)
	}
	return err
}

// ownerOf is whose work uncommitted changes are, in whichever session of an issue.
func ownerOf(issue string) string { return "drive #" + issue + " " }

// runScope is what an agent of the drive may do: the drive's branch and the one that
// it is merged into are the engine's to move.
func runScope(t *turn) guard.Scope {
	s := t.s
	sc := guard.Scope{Owner: ownerOf(s.Issue()) + fmt.Sprint(s.Session.StartedAtEpoch), Label: fmt.Sprintf("issue-%s-chunk-%d", s.Issue(), s.Chunk.Index),
		Documents: []guard.Document{ownState{t.Engine}},
		Expected: func(ref, hash string) bool { // another drive has put it there, and has said so in this one's journal
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

// ownState is the drive's own document, which only the engine changes while an
// agent runs; afterwards the engine is its owner again.
type ownState struct{ e *Engine }

func (o ownState) Repair() (repaired bool, err error) {
	v, err := o.e.Drive.Read()
	if durable.IsMissing(err) || err == nil && v.Foreign {
		_, err = o.e.Drive.Doc().Rebuild()
		repaired = err == nil
	}
	repaired = repaired || v.Undone // claiming it writes what was signed last
	if mind := guidingSession(o.e); err == nil && (repaired || !o.e.Drive.Ownership.Claimed(v, o.e.PID, mind)) {
		_, err = o.e.Drive.Claim(o.e.PID, mind)
	}
	return repaired, err
}

// personChanged takes what a person changed since the last run out of the chunk:
// it begins with it.
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

// recoverRun looks after an agent whose engine was killed before it could.
func recoverRun(ctx context.Context, e *Engine) error {
	v, err := e.Drive.Read()
	if durable.IsMissing(err) || err == nil && !v.State.Phase.Active() {
		return nil
	}
	if err != nil {
		return err
	}
	sc := runScope((&turn{e, v.State}))
	if v.State.Session.Level == 2 && !e.Own {
		sc.Refs = nil // the branch is the person's, who may have worked on it
	}
	_, err = e.guard.Recover(ctx, sc)
	var changed *guard.ChangedError
	if errors.As(err, &changed) {
		return needsPerson("compare them (the old versions are in "+changed.Before+"), then warp resume", "%v", err)
	}
	return err
}

// Windows is how much of the agent's subscription is used, as it said last.
func (e *Engine) Windows() (list []tokens.Window) {
	for _, name := range slices.Sorted(maps.Keys(e.windows)) {
		list = append(list, e.windows[name])
	}
	return list
}

// recordRun keeps what a run has cost and how it ended.
func (e *Engine) recordRun(r step.Ran) error {
	res := r.Result
	e.running = agent.Usage{}
	e.spent.Add(res.Usage)
	tree, err := e.snapshotWorkTree()
	row := r.Evidence(e.Redact)
	row.Tree = tree
	var lessons []learning.Said
	if res.JSON != nil {
		row.Summary = text.Clip(res.JSON.Get("summary").Text(), maxReason)
		for _, name := range []string{"lessons", "learnings"} {
			if list := res.JSON.Get(name); list != nil {
				for _, v := range list.Elems {
					var l learning.Said
					_ = l.UnmarshalJSON(lossless.AppendCompact(nil, v)) // it takes everything
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

// checkUsedUp says which budget beyond the session leaves nothing for another run.
func checkUsedUp(ctx context.Context, e *Engine) string {
	if e.Counted == nil {
		return ""
	}
	warnings, stop, err := e.Counted(ctx, e.at, "")
	e.warn(warnings)
	if err != nil {
		e.remark("reading what was spent: %v", err)
	}
	e.overspent = stop
	return stop
}
