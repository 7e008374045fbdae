package quality

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"warp/internal/core/project"
	"warp/internal/core/workqueue"
	"warp/internal/engine/detect"
	"warp/internal/engine/judge"
	"warp/internal/engine/policy/session"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
)

// The gates that every loop has, by the names that work_queue.json gives them.
const (
	preflight = "preflight"
	integrity = "integrity"
	tests     = project.Tests
	security  = project.Security
)

// Gate is a command that must pass.
type Gate = project.Check

// detectGates lists the gates of a project as the files tell that the loop began with.
func detectGates(o Options, st session.GatesStage) []Gate {
	files := detect.ReadProject(o.Root)
	if st.Guard != nil && st.Base != "" {
		prefix, err := filepath.Rel(st.Guard.Work.Top(), o.Root)
		if err != nil || prefix == "." {
			prefix = ""
		}
		files = judge.ReadTree(st.Guard.Work.Repo(), st.Base, filepath.ToSlash(prefix))
	}
	return project.Checks(files, detect.FindTests(files), installed)
}

// assemble puts the gates in order: those that are always there around those that
// the project has, and the configured ones in place of any, or at the end.
func assemble(found, configured []Gate, repository bool) (list []Gate) {
	list = []Gate{{Name: preflight}}
	if repository {
		list = append(list, Gate{Name: integrity})
	}
	list = append(list, found...)
	at := func(name string) int { return slices.IndexFunc(list, func(g Gate) bool { return g.Name == name }) }
	for _, name := range []string{tests, security} {
		if at(name) < 0 {
			list = append(list, Gate{Name: name})
		}
	}
	for _, c := range configured {
		switch i := at(c.Name); {
		case i < 0 && c.Command != "":
			list = append(list, c)
		case i >= 0 && (c.Command != "" || slices.Contains([]string{preflight, integrity, security}, c.Name)):
			list[i] = c // the engine's own part of these cannot be turned off
		case i >= 0:
			list = slices.Delete(list, i, i+1)
		}
	}
	return list
}

// checker runs the gates of a loop.
type checker struct {
	*setup
	gates []Gate
	added func() ([]git.Line, error)   // that the loop has added to the work tree; found out once for all gates
	enter func() (*judge.Place, error) // what the gates look at, once for all of them
	// looked is the tree that they look at; "": the folder.
	looked string
	fact   func(name string, find func() (string, error)) (string, error) // is found out once for an iteration
}

var passed = workqueue.GateRun{Status: workqueue.Pass}

// warning is what a gate says that cannot be run: it never passes silently.
func warning(why string) workqueue.GateRun {
	return workqueue.GateRun{Status: workqueue.Warn, Output: why, Issues: 1, Severity: workqueue.S3}
}

func failed(why string) workqueue.GateRun {
	return workqueue.GateRun{Status: workqueue.Fail, Output: why}
}

// runGate runs a gate: what the engine looks at itself, then its command.
func (c *checker) runGate(ctx context.Context, g Gate) (workqueue.GateRun, error) {
	run := passed
	switch {
	case g.Name == preflight:
		run = c.preflight(ctx)
	case g.Name == integrity:
		run = c.integrity(ctx)
	case g.Name == security:
		run = c.secrets(ctx)
	case g.Name == tests && g.Command == "":
		run = warning("no test command is known")
	}
	if g.Command != "" && run.Status != workqueue.Fail {
		said, err := c.runCommand(ctx, g)
		if err != nil {
			return said, err
		}
		if run.Status == workqueue.Pass || said.Status == workqueue.Fail {
			run = said
		}
	}
	run.Name, run.At, run.Output = g.Name, c.Now(), c.Redact(run.Output)
	return run, ctx.Err()
}

// runCommand runs the command of a gate.
func (c *checker) runCommand(ctx context.Context, g Gate) (run workqueue.GateRun, err error) {
	if program := missingProgram(g.Command); program != "" {
		return warning(program + " is not installed"), nil
	}
	left, err := c.TimeLeft()
	if err != nil {
		return run, err
	}
	limit := min(cmp.Or(left, judge.CommandTime), judge.CommandTime)
	place, err := c.enter()
	if err != nil {
		return run, err
	}
	command := judge.Command{Line: g.Command, Environ: c.Environ, Limit: limit}
	said, err := place.Run(ctx, command)
	if err == nil && !said.Passed && !said.TimedOut && c.looked == c.Base && c.Rooms != nil { // no agent has run yet
		if here, err := c.passesHere(ctx, g, command); err != nil || here {
			return run, cmp.Or(err, error(&step.StoppedError{Why: c.Redact((&judge.UnreadyError{Line: g.Command, Result: said}).Error()), Do: judge.SayReady}))
		}
	}
	switch {
	case errors.Is(err, judge.ErrNoShell):
		return warning("there is no shell to run it with"), nil
	case err != nil:
		return run, fmt.Errorf("running the gate %s: %w", g.Name, err)
	case said.Passed:
		return passed, nil
	case g.Finds != 0 && said.Exit != g.Finds && !said.TimedOut:
		return warning("it could not run: " + said.String()), nil
	}
	return failed(said.Whole()), nil
}

// passesHere tells whether a gate passes in the project's folder, once for an iteration.
func (c *checker) passesHere(ctx context.Context, g Gate, command judge.Command) (bool, error) {
	said, err := c.fact("here-"+g.Name, func() (string, error) {
		said, err := judge.Site{Dir: c.Root}.Run(ctx, command)
		return fmt.Sprint(said.Passed), err
	})
	return said == "true", err
}

// beginChecks has the gates look at the work tree as it is now; leave ends that.
func (c *checker) beginChecks(ctx context.Context) (leave func() error) {
	entered := func() error { return nil }
	c.added = sync.OnceValues(func() ([]git.Line, error) { return c.addedLines(ctx) })
	c.enter = sync.OnceValues(func() (*judge.Place, error) {
		site := judge.Site{Dir: c.Root, Rooms: c.Rooms, Base: c.Base}
		if c.Guard != nil {
			tree, err := c.Guard.Snapshot()
			if err != nil {
				return nil, err
			}
			site.Tree, c.looked = tree, tree
		}
		place, err := site.Enter(ctx)
		if err == nil {
			entered = place.Leave
		}
		return place, err
	})
	return func() error { return entered() }
}

// integrity looks whether the loop has made the tests worth less, since it began.
func (c *checker) integrity(ctx context.Context) workqueue.GateRun {
	tree, err := c.Guard.Snapshot()
	if err != nil {
		return failed(err.Error())
	}
	work := judge.Candidate{Repo: c.Guard.Work.Repo(), Base: c.Base, Tree: tree, Criteria: []string{c.Task}}
	if prefix, err := filepath.Rel(c.Guard.Work.Top(), c.Root); err == nil && prefix != "." {
		work.Prefix = filepath.ToSlash(prefix)
	}
	for _, g := range c.gates {
		if g.Command == "" && g.Name != integrity {
			continue
		}
		work.Tests = g.Command
		work.Suite = c.NewTests(work, judge.Site{Dir: c.Root, Base: c.Base}, judge.Command{Line: g.Command})
		why, err := judge.CheckIntegrity(ctx, work)
		if err == nil && why == "" && g.Name == tests && work.Suite != nil { // it may lose tests without touching them
			var f judge.Finding
			f, err = work.Suite.FindLostTests(ctx, work)
			why = f.Why()
		}
		if err != nil || why != "" {
			return failed(cmp.Or(why, fmt.Sprint(err)))
		}
	}
	return passed
}

// shellSigns tell a word that is no plain name of a program, and shellWords are
// those of the shell itself with which a command may begin.
const shellSigns = "/\\$`\"'(){};&|<>*?[]#~%!"

var shellWords = strings.Fields("if for while case test cd set export exit true false : .")

// missingProgram is the program of a command that is not installed; "": it is, or it
// cannot be told. A script of the project that is gone is no such program: that is
// a failure.
func missingProgram(command string) string {
	for _, word := range strings.Fields(command) {
		switch {
		case strings.ContainsAny(word, shellSigns) || slices.Contains(shellWords, word):
			return ""
		case strings.Contains(word, "="):
			continue // an assignment
		case installed(word):
			return ""
		}
		return word
	}
	return ""
}

func installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}
