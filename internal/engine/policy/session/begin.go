package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"warp/internal/core/pipeline"
	"warp/internal/core/sessionstate"
	"warp/internal/core/sessionstate/progressfile"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
)

// openSession creates the session's document, or resumes it. A finished session of the same name is
// set aside and kept.
func (r *run) openSession(ctx context.Context) error {
	v, err := r.doc.Doc.Read()
	switch {
	case durable.IsMissing(err) && r.Goes:
		return fmt.Errorf("there is no session %s", r.Name)
	case durable.IsMissing(err):
		return r.createSession(ctx, nil)
	case err != nil:
		return err
	}
	for _, n := range v.Notes {
		r.remark("%s", n)
	}
	if v.Doc.Status == sessionstate.Running && r.Force && !r.Goes { // no process runs it, so the name is free
		r.doc.Set(v.Doc)
		if err := r.doc.Update("stopped", func(s *sessionstate.State) error {
			return s.End(sessionstate.ReasonStopped, "replaced by another session (--force)", r.Now())
		}); err != nil {
			return err
		}
		v.Doc = r.doc.Now()
	}
	// A loop is complete before it leaves its work tree. A failed one resumes there: what its
	// killed agent did has not been examined yet, and clearing it would be blamed on the agent.
	goesOn := r.Goes && v.Doc.Status == sessionstate.Failed
	if v.Doc.Status != sessionstate.Running && !v.Doc.Left && !goesOn && r.shield.guard != nil {
		if err := r.lanes.newLane(r.shield.guard).leaveWorkTree(ctx, v.Doc, v.Doc.Status == sessionstate.Complete); err != nil {
			return err
		}
	}
	if v.Doc.Status != sessionstate.Running && !r.Goes {
		return r.createSession(ctx, v.Doc)
	}
	r.doc.Set(v.Doc)
	same := func(a, b sessionstate.Stage) bool { return a.Name == b.Name && a.Loop == b.Loop }
	if r.Loop != (len(v.Doc.Stages) == 0) || !r.Loop && !slices.EqualFunc(v.Doc.Stages, initialStages(r.files.units), same) {
		return fmt.Errorf("the stages of the session %s have changed since it began; warp sessions rm %s removes it, --force starts over and keeps it", r.Name, r.Name)
	}
	if err := r.doc.Update("resumed", func(s *sessionstate.State) error {
		if r.Retry {
			s.RetryItems()
		}
		if err := r.files.redoBranches(s); err != nil {
			return err
		}
		return s.Resume() // it may be complete
	}); err != nil {
		return err
	}
	r.resumed = true
	r.tell(Note{Kind: Began, Text: "resuming"})
	return r.files.saveDefinition(r.Files, r.Goes && !r.Rewrite)
}

// createSession starts a session, unless a loop over a queue has nothing to do. An earlier session
// of the same name is kept.
func (r *run) createSession(ctx context.Context, earlier *sessionstate.State) error {
	if r.Loop {
		ru, err := r.rules(0)
		if err != nil {
			return err
		}
		if ru.queue != nil {
			ready, held, err := ru.queue.Ready(ctx)
			if err != nil {
				return err
			}
			if len(ready) == 0 {
				return &NothingError{describeLeftovers(0, held)}
			}
		}
	}
	b := sessionstate.Beginning{Session: r.Name}
	if !r.Loop {
		b.Pipeline, b.Stages = r.Plan.Name, initialStages(r.files.units)
	}
	s, err := sessionstate.Begin(b, r.Now())
	if err != nil {
		return err
	}
	for _, do := range []func() error{
		func() error { return r.setAside(earlier) },
		func() error { return r.lanes.own.nameBranch(s) },
		func() error { return r.Store.CheckFolder(sessionstate.Dir(r.Name)) },
		func() error { return os.MkdirAll(r.files.path(sessionstate.Dir(r.Name)), 0o755) },
		func() error { return r.shield.forgetEarlier(ctx) },
		func() error { return r.files.saveDefinition(r.Files, false) },
		func() error {
			return r.files.write(sessionstate.ProgressFile(r.Name), []byte(progressfile.New(r.Name, r.Checks.Verify)))
		},
	} {
		if err := do(); err != nil {
			return fmt.Errorf("starting the session %s: %w", r.Name, err)
		}
	}
	r.doc.Set(s)
	if err := r.doc.Update("session_began", func(*sessionstate.State) error { return nil }); err != nil {
		return err
	}
	r.tell(Note{Kind: Began, Text: text.Opening(r.Redact(r.Task))})
	return nil
}

// setAside renames the folder of a finished session, with its document: a document whose file is
// missing is forgotten.
func (r *run) setAside(s *sessionstate.State) error {
	if s == nil {
		return nil
	}
	when := s.StartedAt
	if s.CompletedAt != nil {
		when = *s.CompletedAt
	}
	digits := slices.DeleteFunc([]byte(when), func(c byte) bool { return (c < '0' || c > '9') && c != 'T' && c != '-' })
	first := text.Prefix(r.Name, 50) + "." + string(digits)
	old := first
	for n := 2; ; n++ {
		if _, err := os.Lstat(r.files.path(sessionstate.Dir(old))); errors.Is(err, fs.ErrNotExist) {
			break
		}
		old = fmt.Sprintf("%s-%d", first, n)
	}
	if err := durable.MoveFile(r.files.path(sessionstate.Dir(r.Name)), r.files.path(sessionstate.Dir(old))); err != nil {
		return fmt.Errorf("archiving the earlier session %s: %w", r.Name, err)
	}
	r.remark("the earlier session %s is kept as %s", r.Name, old)
	return nil
}

// installed is implemented by agents that can check that they are installed, loggedIn by those that
// can check their login.
type (
	installed interface{ CheckInstalled() error }
	loggedIn  interface{ CheckLogin(context.Context) error }
)

// checkAgents requires that all agents the session will ask are installed and logged in, before it
// starts. Iterations without an agent used to be recorded and counted.
func (r *run) checkAgents(ctx context.Context) error {
	var missing *agent.MissingError
	var was *sessionstate.State
	if v, err := Open(r.Store, r.Name).Read(); err == nil && r.Goes {
		was = v.Doc
	}
	for _, name := range agentNames(r.files.units, was) {
		agents, err := r.Agents(name)
		if err != nil {
			return err
		}
		if a, ok := agents.(installed); ok {
			if err := a.CheckInstalled(); errors.As(err, &missing) {
				return &step.StoppedError{Why: missing.Error(), Do: cmp.Or(missing.Do, "warp agent list shows what is missing")}
			}
		}
		if a, ok := agents.(loggedIn); ok {
			if err := a.CheckLogin(ctx); errors.As(err, &missing) {
				return &step.StoppedError{Why: missing.Error(), Do: "log in, then start it again; warp agent list shows the login"}
			}
		}
	}
	return nil
}

// agentNames returns the agents of the units that are not completed, each once.
func agentNames(units []unit, was *sessionstate.State) (names []string) {
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	for i, u := range units {
		if was != nil {
			if st, err := was.Stage(i); err == nil && (st.Status == sessionstate.Completed || st.Status == sessionstate.Skipped) {
				continue
			}
		}
		for _, j := range []*pipeline.Judge{u.stage.Judge, u.choice()} {
			if j != nil {
				add(j.Agent)
			}
		}
		if u.gathers == nil {
			add(u.stage.Agent)
		}
	}
	return names
}
