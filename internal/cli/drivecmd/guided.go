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
	"warp/internal/engine/step"
	"warp/internal/turnstile"
)

// guide says which session is the mind of the drive. warp next starts the engine
// with it; people have no need to.
type guide struct {
	desk    string
	session string
	pid     int
	person  bool // a person sits in front of the session
}

func (g *guide) flags(f *pflag.FlagSet) {
	f.StringVar(&g.desk, "desk", "", "where the session and the engine leave each other notes")
	f.StringVar(&g.session, "mind", "", "the session that plans and codes")
	f.IntVar(&g.pid, "mind-pid", 0, "its process")
	f.BoolVar(&g.person, "mind-person", false, "a person sits in front of it")
	for _, name := range []string{"desk", "mind", "mind-pid", "mind-person"} {
		_ = f.MarkHidden(name) // each was defined a moment ago
	}
}

// driveGuided drives one work tree with a session as its mind.
func (w *workshop) driveGuided(ctx context.Context, d *turnstile.Drive) error {
	w.o.once = true
	m, err := w.openMind(d)
	if err != nil {
		return err
	}
	w.mind = m
	if err := w.connect(ctx); err != nil {
		return errors.Join(err, m.Close(app.Failed))
	}
	if w.o.guide.person && !w.settings.Remote {
		w.people.Desk.Hear.Terminal, w.people.Seen = w.showQuestion, true
	}
	ends, err := w.driveOne(ctx, d, w.o.first(), isOwnWorkTree(d.Root()))
	w.deleteMerged(ctx, ends)
	err = w.exitError(ends, err)
	return errors.Join(err, m.Close(app.Code(err)))
}

// guide is the session that is the mind now.
func (w *workshop) guide() turnstile.Mind {
	who := w.mind.Who()
	return turnstile.Mind{Session: who.Session, PID: who.PID}
}

func (w *workshop) openMind(d *turnstile.Drive) (*mind.Mind, error) {
	ledger, err := cost.Ledger(w.app)
	if err != nil {
		return nil, err
	}
	m := &mind.Mind{Desk: mind.Desk{Dir: w.o.guide.desk}, Now: w.app.Env.Now, Started: w.app.Env.Started}
	tree := ""
	m.Changed = func() bool {
		now, err := turnstile.Open(d.Root(), w.app.Env).Tree.Fingerprint() // the drive's own knows an older one
		changed := err != nil || now != tree
		tree = now
		return changed
	}
	m.Took = func(who mind.Who) error {
		_, err := d.Claim(w.app.Env.PID, turnstile.Mind{Session: who.Session, PID: who.PID})
		return err
	}
	m.Used = func(ctx context.Context, session string, since time.Time) agent.Usage {
		line, err := ledger.OfSession(ctx, d.Root(), session, since)
		if err != nil {
			return agent.Usage{}
		}
		u := agent.Usage{Input: line.Input, Output: line.Output, CacheRead: line.CacheRead, CacheWrite: line.CacheWrite, MicroUSD: line.MicroUSD, Priced: line.Known()}
		return u
	}
	who := mind.Who{Session: w.o.guide.session, PID: w.o.guide.pid}
	if who.PID > 0 {
		who.Stamp, _ = w.app.Env.Started(who.PID)
	}
	return m, m.Open(mind.Board{Engine: step.Process{PID: w.app.Env.PID, Host: w.host}.Holder(), Mind: who, Named: w.o.first(), Doing: "looking for work"})
}

// showQuestion puts a question before the person in front of the session, until
// it is answered.
func (w *workshop) showQuestion(ctx context.Context, it questions.Item) (string, bool) {
	until, _ := time.Parse(time.RFC3339, it.Deadline) // only shown
	w.mind.Ask(&mind.Question{ID: it.ID, Text: it.Question, Context: it.Context, Options: it.Options, Default: it.Default, Until: until})
	<-ctx.Done()
	w.mind.Ask(nil)
	return "", false
}

// showDoing says on the board what is under way.
func (w *workshop) showDoing(n drive.Note) {
	if w.mind == nil {
		return
	}
	if n.Issue != "" {
		w.mind.Name(n.Issue, n.Title)
	}
	switch {
	case n.Kind == drive.Phased:
		where := "phase " + string(n.Phase)
		if n.Chunk > 0 {
			where += fmt.Sprintf(", chunk %d of %d", n.Chunk, n.Total)
		}
		w.mind.Reach(where)
		w.mind.Doing(where)
	case n.Kind == drive.AgentBegan && n.Agent != mind.Name:
		w.mind.Doing(fmt.Sprintf("%s (%s)", n.Agent, n.Role))
	case n.Kind == drive.Tested && n.Passed == nil:
		w.mind.Doing(n.Text)
	case n.Kind == drive.Waiting && !n.Until.IsZero():
		w.mind.Doing("waiting until " + n.Until.Local().Format("15:04 MST") + ": " + n.Text)
	}
}
