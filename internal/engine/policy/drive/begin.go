package drive

import (
	"context"
	"errors"
	"fmt"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/forge"
	"warp/internal/turnstile"
)

// goneTries is how often endLeftBehind checks that a killed agent is gone.
const (
	goneTries = 50
	lookAgain = 200 * time.Millisecond
)

// sumSpent adds up what a resumed session has cost so far.
func sumSpent(e *Engine) {
	v, err := e.Drive.Read()
	if err != nil || e.spent != (agent.Usage{}) {
		return
	}
	for _, r := range e.evidenceOfSession(v.State).Runs {
		if r.Row.Issue != v.State.Issue() {
			e.others += r.Row.MicroUSD
		}
		e.spent.Add(agent.Usage{Input: r.Row.Input, Output: r.Row.Output, CacheRead: r.Row.CacheRead, CacheWrite: r.Row.CacheWrite, MicroUSD: r.Row.MicroUSD})
	}
	e.earlier = e.spent.Spent()
	e.elsewhere = budget.Amount{MicroUSD: max(0, e.Before.MicroUSD-e.spent.MicroUSD), Tokens: max(0, e.Before.Tokens-e.spent.Tokens())}
}

// explainUnbegun turns an error that kept a session from starting into its outcome. No session is
// left behind.
func explainUnbegun(e *Engine, err error) error {
	var p *parked
	var issue *forge.Error
	switch {
	case errors.As(err, &p):
	case errors.As(err, &issue) && e.Issue != "":
		p = &parked{evidence.Person, issue.Error(), "see warp issue list"}
	default:
		return err
	}
	e.reportOutcome(evidence.Outcome{Issue: e.Issue, Result: p.result, Why: e.Redact(p.why), Do: e.Redact(p.do)})
	return nil
}

// killedRun is the end of a run whose engine was killed. The next engine records it.
const killedRun = "killed"

// endLeftBehind ends the agents of a killed engine: two agents in one work tree would undo each
// other's work. A killed agent owns the drive until its process is gone, so this waits for that.
// What its run cost is unknown.
func endLeftBehind(ctx context.Context, e *Engine) error {
	left, err := e.Agents.EndLeftBehind()
	for _, l := range left {
		e.remark("ended the agent %s (process %d), left over from a killed drive", l.Agent, l.PID)
		row := evidence.Run{Role: string(l.Role), Agent: l.Agent, Session: l.Session, End: killedRun, Why: "its drive was killed", Unpriced: true}
		var s *drivestate.State
		if v, err := e.Drive.Read(); err == nil {
			s = v.State
			row.Issue, row.Chunk = s.Issue(), s.Chunk.Index
		}
		e.recordEvidence(s, event.Run, row)
		for n := 0; l.PID > 0 && n < goneTries && !e.Drive.Ownership.IsGone(turnstile.Owner{PID: l.PID, Stamp: l.Stamp}); n++ {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(lookAgain):
			}
		}
	}
	if err != nil {
		return fmt.Errorf("looking for leftover agents: %w", err)
	}
	return nil
}

// beginSession starts a session, or takes over the unfinished one.
func beginSession(ctx context.Context, e *Engine) error {
	if err := recoverRun(ctx, e); err != nil {
		return fmt.Errorf("cleaning up after an agent whose engine was killed: %w", err)
	}
	v, err := e.Drive.Read()
	switch {
	case durable.IsMissing(err), err == nil && !v.State.Phase.Active():
		if e.Only {
			return &Nothing{}
		}
		if err := checkFit(ctx, e); err != nil {
			return err
		}
		e.killed = nil
		v, err = e.Drive.Init(ctx, turnstile.Start{Level: e.Level, Issue: e.Issue, PID: e.PID, ClaudeSession: guidingSession(e).Session, MindPID: guidingSession(e).PID, Headless: true, Sandbox: containment(e), Caps: e.Caps, GitHubUser: forge.GitHubUser(ctx, e.Tracker)})
		e.warn(v.Notes)
		if err == nil {
			e.pass("init")
		}
		return err
	case err != nil:
		return err
	}
	s := v.State
	switch owner := turnstile.OwnerOf(s); {
	case owner.PID != e.PID && !e.Drive.Ownership.IsGone(owner) && (drivestate.EngineAt(s) || guidingSession(e).Session == "" || owner.Session != guidingSession(e).Session):
		return &turnstile.ActiveError{Issue: s.Issue(), Phase: s.Phase, PID: s.Session.PID}
	case e.Issue != "" && s.Issue() != "" && s.Issue() != e.Issue && s.Phase != drivestate.Aborted:
		return &unfinished{Issue: s.Issue(), Phase: s.Phase, Wanted: e.Issue}
	case v.Foreign && s.Session.ClaudeSession != "":
		return &drivestate.FrozenError{Phase: s.Phase, Freeze: drivestate.Freeze{State: true}}
	}
	switch {
	case v.Undone:
		e.intervene(s, "state", "", "the drive's state was changed outside warp: ignoring the change")
	case v.Unsigned:
		e.remark("the drive's state was not written by warp, or was signed with another key: using it, and proving its claims again")
	}
	v, err = e.Drive.Claim(e.PID, guidingSession(e))
	e.warn(v.Notes)
	if holds, caps := containment(e), mergeCaps(e, s); err == nil && (s.Session.Sandbox != holds || s.Session.Caps != caps) {
		err = e.Drive.SetTerms(holds, caps)
	}
	if err != nil {
		return err
	}
	leaveOutAbsence(e, s)
	// A drive that skipped chunks ended without a stop: it is not announced as one.
	if e.onlyCleanUp = s.Phase == drivestate.Aborted && len(s.Chunk.Skipped) == 0; e.onlyCleanUp {
		e.remark("#%s was stopped: cleaning up", s.Issue())
	} else {
		e.remark("Resuming #%s in phase %s", s.Issue(), s.Phase)
	}
	return nil
}

// mergeCaps returns the limits of a resumed drive: those of this command. A drive stopped by a
// budget or a person spends nothing until limits are given again, so it also keeps its earlier
// ones.
func mergeCaps(e *Engine, s *drivestate.State) budget.Caps {
	if s.Phase == drivestate.BudgetExceeded || s.Phase == drivestate.Aborted {
		return e.Caps.Or(s.Session.Caps)
	}
	return e.Caps
}

// leaveOutDeath is leaveOutAbsence, called before anything can refuse the drive or record something
// new in it: only the lease that was taken over shows the death. A state that something else
// changed is left to beginSession, which reports that.
func leaveOutDeath(e *Engine) {
	v, err := e.Drive.Read()
	if err == nil && e.killed != nil && v.State.Phase.Active() && v.State.Session.ParkedAt == "" && !v.Undone && !v.Unsigned && !v.Foreign {
		leaveOutAbsence(e, v.State)
	}
}

// leaveOutAbsence stops charging the time a drive was parked for a person, or dead: a drive parked
// or killed in the evening was out of time in the morning.
func leaveOutAbsence(e *Engine, s *drivestate.State) {
	var err error
	switch {
	case s.Session.ParkedAt != "":
		err = e.Drive.Sleep.Unpark()
	case e.killed != nil && e.Mind == nil: // a session that guides works on when a command is killed
		err = e.Drive.Sleep.CountAbsence(lastSign(e, s))
	}
	e.killed = nil
	if err != nil {
		e.remark("could not exclude the time without an engine from the budget: %v", err)
	}
}

// lastSign returns the killed engine's last sign of life: the heartbeat of its lease, or its last
// record if that is later or the lock file is damaged.
func lastSign(e *Engine, s *drivestate.State) time.Time {
	last := time.Unix(e.killed.HeartbeatEpoch, 0)
	rows := []string{s.Budgets.PhaseStartedAt}
	if run, ran := evidence.Last(e.evidenceOfSession(s).Runs, func(r evidence.Run) bool { return r.End != killedRun }); ran {
		rows = append(rows, run.At)
	}
	for _, row := range rows {
		if at, err := time.Parse(time.RFC3339, row); err == nil && at.After(last) {
			last = at
		}
	}
	return last
}

// Nothing reports that there is nothing to resume.
type Nothing struct{}

func (*Nothing) Error() string { return "nothing to resume: no drive is unfinished here" }

// unfinished refuses to start one requirement while another is in progress.
type unfinished struct {
	Issue  string
	Phase  drivestate.Phase
	Wanted string
}

func (u *unfinished) Error() string {
	return fmt.Sprintf("#%s is unfinished here, in phase %s: resume it (warp resume), end it (warp stop), or drive #%s in a separate work tree (--worktree)",
		u.Issue, u.Phase, u.Wanted)
}
