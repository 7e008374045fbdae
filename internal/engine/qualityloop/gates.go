package qualityloop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/failure"
	"warp/internal/core/workqueue"
	"warp/internal/engine/judge"
)

// The gates that every loop has, by the names that work_queue.json gives them.
const (
	preflight = "preflight"
	integrity = "integrity"
	tests     = "test"
	security  = "security"
)

const noteText = 300

// Gate is a command that must pass.
type Gate struct {
	Name    string
	Command string // for a shell, in the project's root
	// Finds is the exit code by which the command says that it found
	// something; with any other but 0 it could not look. 0: all mean that.
	Finds int
}

// assemble puts the gates in order: those that are always there around those that
// the project has, and the configured ones in place of any, or at the end.
func assemble(found, configured []Gate, repository bool) (list []Gate) {
	list = []Gate{{Name: preflight}}
	if repository {
		list = append(list, Gate{Name: integrity})
	}
	list = append(list, found...)
	for _, name := range []string{tests, security} {
		if !slices.ContainsFunc(list, func(g Gate) bool { return g.Name == name }) {
			list = append(list, Gate{Name: name})
		}
	}
	for _, c := range configured {
		at := slices.IndexFunc(list, func(g Gate) bool { return g.Name == c.Name })
		switch {
		case at < 0 && c.Command != "":
			list = append(list, c)
		case at >= 0 && (c.Command != "" || slices.Contains([]string{preflight, integrity, security}, c.Name)):
			list[at] = c // the engine's own part of these cannot be turned off
		case at >= 0:
			list = slices.Delete(list, at, at+1)
		}
	}
	return list
}

// run runs a gate: what the engine looks at itself, then its command.
func (b *checker) run(ctx context.Context, g Gate) (workqueue.GateRun, error) {
	own := workqueue.GateRun{Status: workqueue.Pass}
	switch g.Name {
	case preflight:
		own = b.preflight(ctx)
	case integrity:
		own = b.integrity()
	case security:
		own = b.secrets(ctx)
	case tests:
		if g.Command == "" {
			own = warning("how the tests are run is not known")
		}
	}
	if g.Command != "" && own.Status != workqueue.Fail {
		said, err := b.command(ctx, g)
		if err != nil {
			return said, err
		}
		if own.Status == workqueue.Pass || said.Status == workqueue.Fail {
			own = said
		}
	}
	if err := ctx.Err(); err != nil {
		return own, err
	}
	own.Name, own.At, own.Output = g.Name, b.Now(), b.Redact(own.Output)
	return own, nil
}

// command runs the command of a gate.
func (b *checker) command(ctx context.Context, g Gate) (run workqueue.GateRun, err error) {
	if program := missing(g.Command); program != "" {
		return warning(program + " is not installed"), nil
	}
	left, err := b.TimeLeft()
	if err != nil {
		return run, err
	}
	c := judge.Command{Line: g.Command, Dir: b.Root, Environ: b.Environ}
	if left > 0 {
		c.Limit = min(left, judge.CommandTime)
	}
	said, err := c.Run(ctx)
	output := fmt.Sprintf("%s ended with %d:\n%s", g.Command, said.Exit, said.Output)
	switch {
	case errors.Is(err, judge.ErrNoShell):
		return warning("there is no shell to run it with"), nil
	case err != nil:
		return run, fmt.Errorf("running the gate %s: %w", g.Name, err)
	case said.TimedOut:
		return workqueue.GateRun{Status: workqueue.Fail, Output: fmt.Sprintf("%s was ended after %s:\n%s", g.Command, said.Limit, said.Output)}, nil
	case said.Passed:
		return workqueue.GateRun{Status: workqueue.Pass}, nil
	case g.Finds != 0 && said.Exit != g.Finds:
		return warning("it could not look: " + failure.Excerpt(output, noteText)), nil
	}
	return workqueue.GateRun{Status: workqueue.Fail, Output: output}, nil
}

// integrity looks whether the loop has made the tests worth less, since it began.
func (b *checker) integrity() workqueue.GateRun {
	tree, err := b.Guard.Snapshot()
	if err != nil {
		return workqueue.GateRun{Status: workqueue.Fail, Output: err.Error()}
	}
	c := judge.Candidate{Repo: b.Guard.Work.Repo(), Base: b.Base, Tree: tree, Asked: []string{b.Task}}
	if prefix, err := filepath.Rel(b.Guard.Work.Top(), b.Root); err == nil && prefix != "." {
		c.Prefix = filepath.ToSlash(prefix)
	}
	for _, g := range b.gates {
		if g.Command == "" && g.Name != integrity {
			continue
		}
		c.Tests = g.Command
		if why, err := b.Integrity(c); err != nil || why != "" {
			return workqueue.GateRun{Status: workqueue.Fail, Severity: workqueue.S1, Output: cmp.Or(why, fmt.Sprint(err))}
		}
	}
	return workqueue.GateRun{Status: workqueue.Pass}
}

// warning is what a gate says that cannot be run: it never passes silently.
func warning(why string) workqueue.GateRun {
	return workqueue.GateRun{Status: workqueue.Warn, Output: why, Issues: 1, Severity: workqueue.S3}
}

// missing is the program of a command that is not installed; "": it is, or it
// cannot be told. A script of the project that is gone is no such program: that is
// a failure.
func missing(command string) string {
	for _, word := range strings.Fields(command) {
		if strings.ContainsAny(word, "/\\$`\"'(){};&|<>*?[]#~%!") {
			return ""
		}
		if strings.Contains(word, "=") {
			continue // an assignment
		}
		if slices.Contains([]string{"if", "for", "while", "case", "test", "cd", "set", "export", "exit", "true", "false", ":", "."}, word) {
			return ""
		}
		if _, err := exec.LookPath(word); err != nil {
			return word
		}
		return ""
	}
	return ""
}

// record puts what a gate said into the queue. What it found may be more urgent
// than what gates commonly find.
func record(q *workqueue.Queue, r workqueue.GateRun) {
	worst := r.Severity
	if r.Status == workqueue.Fail && worst != "" {
		q.Add(workqueue.Found{Title: "The gate " + r.Name + " fails", Priority: worst, Source: workqueue.FromGate(r.Name)})
	}
	q.Gate(r)
	if r.Status == workqueue.Fail && worst != "" {
		q.GateResults.Get(r.Name).Severity = worst
	}
}

// gated is a run of a gate in one line.
func gated(r workqueue.GateRun) string {
	text := r.Name + ": " + r.Status
	if r.Status == workqueue.Pass {
		return text
	}
	first := strings.TrimSpace(failure.Excerpt(r.Output, noteText))
	if names := failure.Failing(r.Output); len(names) > 0 {
		first = strings.Join(names[:min(len(names), 5)], ", ")
	}
	return cmp.Or(strings.TrimSuffix(text+": "+first, ": "), text)
}
