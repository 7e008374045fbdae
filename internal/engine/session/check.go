package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/core/failure"
	"warp/internal/core/session"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
	"warp/internal/sys/work"
)

const checkTime = 30 * time.Minute

// check runs what verifies an iteration, keeps its output for later stages, and
// commits what it changed where the stage wants that. It tells whether the checks
// passed; without any, nothing speaks against it.
func (b *iterating) check(ctx context.Context, it Iteration, m *marker, out *Outcome) (ok bool, err error) {
	stage := b.units[b.unit].stage
	ok = true
	failed := ""
	for _, line := range b.checks() {
		if !out.Row.Changed && m.Item == nil {
			break // what was checked before is as it was
		}
		said, passed, err := b.verify(ctx, line)
		if err != nil {
			return false, err
		}
		b.tell(Note{Kind: Verified, Stage: b.shown(b.unit), Iteration: it.Number, Text: line, Passed: &passed})
		out.Row.Gates = session.Pass
		if !passed {
			ok, out.Row.Gates, failed = false, session.Fail, said
			break
		}
	}
	if err := b.remember(failed); err != nil {
		return ok, err
	}
	if err := b.collect(it.Number); err != nil {
		return ok, err
	}
	if ok && stage.Commit && m.Tree != "" && len(out.Files) > 0 {
		if err := b.commit(ctx, it, m, out); err != nil {
			return ok, err
		}
	}
	return ok, nil
}

// checks are the command lines that must pass after an iteration: those that the
// stage names, or, where it is to be committed, the project's own.
func (b *iterating) checks() (lines []string) {
	stage := b.units[b.unit].stage
	for _, name := range stage.Verify {
		for _, c := range b.Plan.Commands {
			if c.Name == name {
				lines = append(lines, c.Line)
			}
		}
	}
	if len(lines) == 0 && stage.Commit && b.Engine.Verify != "" {
		return []string{b.Engine.Verify}
	}
	return lines
}

func (b *iterating) verify(ctx context.Context, line string) (said string, passed bool, err error) {
	res, err := proc.Run(ctx, proc.Cmd{Argv: []string{"sh", "-c", line}, Dir: b.dir, Env: append(os.Environ(), "CI=1"), Timeout: checkTime})
	if err != nil {
		return "", false, fmt.Errorf("running %q: %w", line, err)
	}
	if res.Exit == 0 && !res.TimedOut {
		return "", true, nil
	}
	return b.Redact(fmt.Sprintf("%s ended with %d:\n%s", line, res.Exit, failure.Excerpt(string(res.Output), mostSaid))), false, nil
}

// failedFile is what the checks said after the last iteration, for the next agent.
func (b *iterating) failedFile() string { return filepath.Join(b.folder(b.unit), "failed.txt") }

func (b *iterating) remember(said string) error {
	if said != "" {
		return durable.Jot(b.failedFile(), []byte(said))
	}
	if err := os.Remove(b.failedFile()); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// collect keeps a copy of the output of an iteration where a later stage reads
// those of all.
func (b *iterating) collect(number int) error {
	if !b.wanted(b.unit) {
		return nil
	}
	text, err := os.ReadFile(b.outputFile(b.unit))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	dir := filepath.Join(b.folder(b.unit), "outputs")
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d.md", number)), text, 0o644)
	}
	return err
}

// snapshot is the work tree as a tree of git's.
func (r *run) snapshot() (string, error) {
	repo, err := git.Open(r.Root)
	if err != nil {
		return "", err
	}
	tree, err := repo.Snapshot(".claude")
	if u := (*git.Unreadable)(nil); errors.As(err, &u) {
		err = nil // what cannot be read is not the agent's
	}
	return tree, err
}

// commit commits what an iteration changed, and nothing that was uncommitted
// before it.
func (b *iterating) commit(ctx context.Context, it Iteration, m *marker, out *Outcome) error {
	tree, err := work.Open(b.Root)
	if err != nil {
		return err
	}
	trailer := fmt.Sprintf("Warp-Session: %s\nWarp-Iteration: %s/%d", b.Name, b.units[b.unit].name, it.Number)
	if done, err := b.committed(ctx, tree, m, trailer); err != nil || done {
		return err
	}
	hash, err := tree.Commit(ctx, work.Change{Base: m.Tree, Exclude: []string{".claude"}, Message: subject(out.Row, b.Name) + "\n\n" + trailer + "\n"})
	var mixed *work.MixedError
	switch {
	case errors.Is(err, work.ErrNothing):
		return nil
	case errors.As(err, &mixed):
		b.remark("what iteration %d changed is not committed: %v", it.Number, err)
		return nil
	case hash == "":
		return err
	case err != nil:
		b.remark("%v", err)
	}
	b.passed("committed")
	b.tell(Note{Kind: Committed, Stage: b.shown(b.unit), Iteration: it.Number, Hash: hash, Text: subject(out.Row, b.Name)})
	return nil
}

// committed tells whether the commit of an iteration was made before a crash.
func (b *iterating) committed(ctx context.Context, tree work.Tree, m *marker, trailer string) (bool, error) {
	head, err := tree.Repo().Head()
	if err != nil || m.Before == nil || head == m.Before.Head || !git.IsHash(m.Before.Head) {
		return false, err
	}
	list, err := tree.Repo().Commits(head, m.Before.Head)
	if err != nil {
		return false, err
	}
	for _, c := range list {
		if strings.Contains(c.Message, trailer) {
			return true, tree.Refresh(ctx, c.Hash)
		}
	}
	return false, nil
}

// subject is the first line of a commit.
func subject(row session.Row, name string) string {
	what := text.Opening(row.Summary)
	if row.Item != "" {
		what = row.Item + ": " + what
	}
	if what == "" {
		what = "an iteration of " + name
	}
	if r := []rune(what); len(r) > 60 {
		what = strings.TrimSpace(string(r[:59])) + "…"
	}
	return "chore: " + what
}
