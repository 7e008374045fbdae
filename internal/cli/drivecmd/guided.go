package drivecmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"warp/internal/cli/app"
	"warp/internal/cli/cost"
	"warp/internal/core/questions"
	"warp/internal/engine/agent"
	"warp/internal/engine/mind"
	"warp/internal/engine/policy/drive"
	"warp/internal/turnstile"
)

// guide identifies the session that plans and codes for the drive. warp next sets it; people
// need not.
type guide struct {
	desk    string
	session string
	pid     int
	person  bool // a person is at the session
	cleanUp bool // only clean up after a drive that was stopped
}

func (g *guide) flags(f *pflag.FlagSet) {
	f.StringVar(&g.desk, "desk", "", "where the session and the engine leave each other notes")
	f.StringVar(&g.session, "mind", "", "the session that plans and codes")
	f.IntVar(&g.pid, "mind-pid", 0, "its process")
	f.BoolVar(&g.person, "mind-person", false, "a person sits in front of it")
	f.BoolVar(&g.cleanUp, "only-clean-up", false, "begin nothing after the drive that was stopped")
	for _, name := range []string{"desk", "mind", "mind-pid", "mind-person", "only-clean-up"} {
		_ = f.MarkHidden(name) // cannot fail, it exists
	}
}

// driveGuided drives one work tree, with a session that plans and codes.
func driveGuided(ctx context.Context, m *engines, t *workTrees) error {
	m.o.once, m.o.only = true, m.o.guide.cleanUp
	session, err := openMind(m)
	if err != nil {
		return err
	}
	m.talk.mind = session
	if err := m.talk.connect(ctx, m.drive, m.o.json); err != nil {
		return errors.Join(err, session.Close(app.Failed, true))
	}
	if line := m.talk.line; m.o.guide.person && !m.settings.Remote {
		line.Desk.Hear.Terminal, line.Seen = showQuestion(session, m.settings.Unattended == questions.TakeDefault), true
	}
	t.tidyUp(ctx)
	ends, err := m.refuse(ctx)
	if err == nil && ends == nil {
		ends, err = m.driveHere(ctx, m.o.firstIssue())
	}
	t.cleanup.deleteMerged(ctx, ends)
	m.talk.close()
	err = exitError(ends, err)
	v, unread := m.drive.Read()
	return errors.Join(err, session.Close(app.Code(err), unread == nil && v.State.Phase.Active()))
}

func openMind(e *engines) (*mind.Mind, error) {
	a, d := e.app, e.drive
	ledger, err := cost.Ledger(a)
	if err != nil {
		return nil, err
	}
	m := &mind.Mind{Desk: mind.Desk{Dir: e.o.guide.desk}, Now: a.Env.Now, Started: a.Env.Started}
	m.Tree = func() string {
		tree, err := turnstile.Open(d.Root(), a.Env).Tree.Fingerprint() // d's own would return a cached one
		if err != nil {
			return "" // unknown: whatever was done counts
		}
		return tree
	}
	m.Watch = watchPinned(d, e.talk.remark, func() bool { return m.Who().Session != "" })
	m.Took = func(who mind.Who) error {
		_, err := d.Claim(a.Env.PID, turnstile.Mind{Session: who.Session, PID: who.PID})
		return err
	}
	m.Used = func(ctx context.Context, session string, since time.Time) agent.Usage {
		line, err := ledger.OfSession(ctx, d.Root(), session, since)
		if err != nil {
			return agent.Usage{}
		}
		return agent.Usage{Input: line.Input, Output: line.Output, CacheRead: line.CacheRead, CacheWrite: line.CacheWrite, MicroUSD: line.MicroUSD, Priced: line.Known()}
	}
	who := mind.Who{Session: e.o.guide.session, PID: e.o.guide.pid}
	if who.PID > 0 {
		who.Stamp, _ = a.Env.Started(who.PID)
	}
	return m, m.Open(mind.Board{Engine: e.process.Holder(), Mind: who, Named: e.o.firstIssue(), Doing: "looking for work"})
}

// showQuestion shows a question to the person at the session until it is answered. If no one answers,
// its default may be taken.
func showQuestion(m *mind.Mind, takesDefault bool) func(context.Context, questions.Item) (string, bool) {
	return func(ctx context.Context, it questions.Item) (string, bool) {
		until, _ := time.Parse(time.RFC3339, it.Deadline) // for display only
		hide := m.Ask(mind.Question{ID: it.ID, Aside: it.AskedBy == questions.Agent, By: it.Session, Text: it.Question, Context: it.Context, Options: it.Options, Default: it.Default, Taken: takesDefault && it.Default != "", Until: until})
		<-ctx.Done()
		hide()
		return "", false
	}
}

// showDoing writes the current step to the board.
func showDoing(m *mind.Mind, n drive.Note) {
	if n.Issue != "" {
		m.Name(n.Issue, n.Title)
	}
	switch {
	case n.Kind == drive.Phased:
		where := "phase " + string(n.Phase)
		if n.Chunk > 0 {
			where += fmt.Sprintf(", chunk %d of %d", n.Chunk, n.Total)
		}
		m.Reach(where)
		m.Doing(where)
	case n.Kind == drive.AgentBegan && n.Agent != mind.Name:
		m.Doing(fmt.Sprintf("%s (%s)", n.Agent, n.Role))
	case n.Kind == drive.AgentEnded && n.Agent == mind.Name:
		m.Recorded()
	case n.Kind == drive.Tested && n.Passed == nil:
		m.Doing(n.Text)
	case n.Kind == drive.Waiting && !n.Until.IsZero():
		m.Doing("waiting until " + n.Until.Local().Format("15:04 MST") + ": " + n.Text)
	}
}
