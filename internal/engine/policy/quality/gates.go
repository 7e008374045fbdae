package quality

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
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

// The gates of every loop, by their names in work_queue.json.
const (
	preflight = "preflight"
	integrity = "integrity"
	tests     = project.Tests
	security  = project.Security
)

// Gate is a command that must pass.
type Gate = project.Check

// detectGates lists a project's gates from the files that the loop started with.
func detectGates(o Options, st session.GatesStage) []Gate {
	files := detect.ReadProject(o.Root)
	if st.Guard != nil && st.Base != "" {
		files = judge.ReadTree(st.Guard.Work.Repo(), st.Base, st.Guard.Work.Root().Folder())
	}
	return project.Checks(files, detect.FindTests(files), installed)
}

// assemble orders the gates: the built-in ones around the project's, with configured ones replacing
// any of them, or at the end.
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
	added func() ([]git.Line, error)   // lines the loop has added to the work tree; computed once for all gates
	enter func() (*judge.Place, error) // where the gates run, entered once for all of them
	// looked is the tree that they run on; "": the folder.
	looked string
	fact   func(name string, find func() (string, error)) (string, error) // computed once per iteration
}

var passed = workqueue.GateRun{Status: workqueue.Pass}

// warning is the result of a gate that cannot be run: it never passes silently.
func warning(why string) workqueue.GateRun {
	return workqueue.GateRun{Status: workqueue.Warn, Output: why, Issues: 1, Severity: workqueue.S3}
}

func failed(why string) workqueue.GateRun {
	return workqueue.GateRun{Status: workqueue.Fail, Output: why}
}

// runGate runs a gate: the engine's own check, then its command.
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

// passesHere reports whether a gate passes in the project's folder, once per iteration.
func (c *checker) passesHere(ctx context.Context, g Gate, command judge.Command) (bool, error) {
	said, err := c.fact("here-"+g.Name, func() (string, error) {
		said, err := judge.Site{Dir: c.Root}.Run(ctx, command)
		return fmt.Sprint(said.Passed), err
	})
	return said == "true", err
}

// beginChecks makes the gates run on the present work tree; leave ends that.
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

// integrity checks whether the loop has weakened the tests since it began.
func (c *checker) integrity(ctx context.Context) workqueue.GateRun {
	tree, err := c.Guard.Snapshot()
	if err != nil {
		return failed(err.Error())
	}
	work := judge.Candidate{Repo: c.Guard.Work.Repo(), Prefix: c.Guard.Work.Root().Folder(), Base: c.Base, Tree: tree, Criteria: []string{c.Task}}
	for _, g := range c.gates {
		if g.Command == "" && g.Name != integrity {
			continue
		}
		work.Tests = g.Command
		work.Suite = c.NewTests(work, judge.Site{Dir: c.Root, Base: c.Base}, judge.Command{Line: g.Command})
		why, err := judge.CheckIntegrity(ctx, work)
		if err == nil && why == "" && g.Name == tests && work.Suite != nil { // tests may be lost without being touched
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

// shellSigns mark a word that is no plain program name; shellWords are the shell's own words with
// which a command may begin.
const shellSigns = "/\\$`\"'(){};&|<>*?[]#~%!"

var shellWords = strings.Fields("if for while case test cd set export exit true false : .")

// missingProgram returns the program of a command that is not installed; "" if it is, or if that is
// unclear. A missing script of the project does not count here: that is a failure.
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
