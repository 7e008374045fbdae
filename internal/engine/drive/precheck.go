package drive

import (
	"context"
	"errors"
	"slices"
	"strings"

	"warp/internal/core/drive"
	"warp/internal/core/evidence"
	"warp/internal/sys/git"
	"warp/internal/sys/work"
	"warp/internal/turnstile"
)

// hookRounds is how often commit hooks may change a chunk before it is committed
// without what they change.
const hookRounds = 3

// precheck asks the repository's own commit hooks about what is to be committed.
// Next is that with what they have made of the chunk's files: formatters do.
func (e *Engine) precheck(ctx context.Context, s *drive.State, tree string) (next string, v work.Verdict, err error) {
	e.hooked = ""
	if e.noHooks == nil { // the guard keeps them as they are
		none := !e.Work.Hooked(ctx)
		e.noHooks = &none
	}
	if *e.noHooks {
		return tree, work.Verdict{OK: true, Message: e.message(s)}, nil
	}
	before, err := e.look()
	if err != nil {
		return "", v, err
	}
	if v, err = e.Work.Precheck(ctx, e.change(s, tree)); err != nil {
		return "", v, err
	}
	after, err := e.look()
	if err != nil {
		return "", v, err
	}
	if v.OK && strings.Contains(v.Message, e.trailer(s)) {
		e.hooked = v.Message
	}
	next, err = e.follow(ctx, s, tree, before, after)
	return next, v, err
}

// follow is the chunk's tree with what happened to the chunk's files in the work
// tree. What the tests have left there is not part of it.
func (e *Engine) follow(ctx context.Context, s *drive.State, tree, before, after string) (string, error) {
	if before == after {
		return tree, nil
	}
	chunk, err := e.Drive.Tree.CompareTrees(s.Chunk.Base, tree)
	if err != nil {
		return "", err
	}
	list, err := e.repo().Changes(before, after)
	if err != nil {
		return "", err
	}
	var paths []string
	for _, c := range list {
		if slices.ContainsFunc(chunk, func(of git.Change) bool { return of.Path == c.Path && of.Status != 'D' }) {
			paths = append(paths, c.Path)
		}
	}
	if len(paths) == 0 {
		return tree, nil
	}
	return e.graft(ctx, tree, after, paths)
}

// graft is a tree with some files of another.
func (e *Engine) graft(ctx context.Context, tree, other string, paths []string) (string, error) {
	root, err := e.repo().Root()
	if err != nil {
		return "", err
	}
	stage, err := root.Blank()
	if err != nil {
		return "", err
	}
	defer stage.Remove()
	var out []byte
	for _, args := range [][]string{
		{"read-tree", tree},
		append([]string{"ls-tree", "-r", "-z", "--full-tree", other, "--"}, paths...),
		{"update-index", "-z", "--index-info"}, // of what the one before has listed
		{"write-tree"},
	} {
		a, err := e.repo().Run(ctx, git.Call{Args: args, Stdin: out, Env: stage.Env})
		if err == nil && a.Exit != 0 {
			err = &git.Failure{Args: args, Dir: root.Top, Exit: a.Exit, Stderr: a.Stderr}
		}
		if err != nil {
			return "", err
		}
		out = a.Stdout
	}
	return strings.TrimSpace(string(out)), nil
}

// rejudge has the gates of code_complete look at what they have not seen: what
// commit hooks have changed. It says why they refuse it.
func (e *Engine) rejudge(ctx context.Context, s *drive.State, tree string) (why string, err error) {
	_, any := evidence.Last(e.page(s).Verdicts, func(v evidence.Verdict) bool { return v.Chunk == s.Chunk.Index })
	w := sight{dir: e.Drive.Root(), base: s.Chunk.Base, tree: tree, criteria: s.Present()}
	if !any || e.judged(s, w) {
		return "", nil
	}
	e.Drive.Tree.AssumeUnchanged(tree) // without what the tests have left
	list, err := e.Drive.Verify(ctx, drive.CodeComplete, e.integrity(), turnstile.Gate{Name: "verifier", Run: func(ctx context.Context, s *drive.State) (string, error) {
		e.Drive.Tree.AssumeChanged() // an agent's guard has to see all
		w.ignored = e.uncommitted(ctx)
		return e.judge(ctx, s, w)
	}})
	e.Drive.Tree.AssumeChanged()
	e.gated(s, list)
	var refused *turnstile.GateError
	switch {
	case errors.As(err, &refused) && refused.Broken():
		return "", untried(refused)
	case errors.As(err, &refused):
		return refused.Error(), nil
	}
	return "", err
}
