package land

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/judge"
	"warp/internal/sys/git"
)

// Hooks are the repository's own hooks, and how they run.
type Hooks struct {
	judge.CommandSetup
	// Began returns the commit that the work began with, which the user has; nil or "": unknown.
	Began  func() string
	found  *judge.Hooks // nil: not looked for yet
	agreed string       // what they agreed to last
}

// Refusal is an error that says that work may not be committed as it is; its agent can still fix
// it. *leak.FoundError and *hookError implement it.
type Refusal interface {
	error
	Brief() string // in one line
}

// hookError reports that the repository's own hooks refuse work.
type hookError struct {
	What string // "commit" or "push"
	Said string
}

func (e *hookError) Error() string {
	return fmt.Sprintf("the repository's own %s hooks refuse it: %s", e.What, e.Said)
}

// Brief returns the error in one line.
func (e *hookError) Brief() string {
	return fmt.Sprintf("the repository's own %s hooks refuse it: %s", e.What, text.Opening(e.Said))
}

// FindHooks finds the repository's own hooks, once: the guard keeps them unchanged.
func (l *Lander) FindHooks(ctx context.Context) (judge.Hooks, error) {
	switch h := &l.Hooks; {
	case h.found != nil:
		return *h.found, nil
	case h.Rooms == nil:
		return judge.Hooks{}, nil
	}
	folder, err := l.Work.HooksFolder(ctx)
	if err != nil {
		return judge.Hooks{}, err
	}
	found := &judge.Hooks{CommandSetup: l.Hooks.CommandSetup, Top: l.Work.Top(), Folder: folder}
	if l.Hooks.Began != nil {
		found.Base = l.Hooks.Began()
	}
	l.Hooks.found = found
	return *found, nil
}

// askHooks asks the hooks about a commit, once per tree.
func (l *Lander) askHooks(ctx context.Context, parent, tree, message string, asked []string) error {
	hooks, err := l.FindHooks(ctx)
	a := judge.HookRequest{Candidate: judge.Candidate{Repo: l.Work.Repo(), Base: parent, Tree: tree, Criteria: asked}, Head: parent, Message: message}
	if err != nil || !hooks.HasHooks(a) || l.Hooks.agreed == parent+" "+tree {
		return err
	}
	if a.Base == "" {
		if a.Base, err = a.Repo.Trees().Empty(); err != nil {
			return err
		}
	}
	v, err := hooks.CheckCommit(ctx, a)
	if err == nil && !v.OK {
		err = &hookError{"commit", v.Output}
	}
	if err == nil {
		l.Hooks.agreed = parent + " " + tree
	}
	return err
}

// askPush asks the pre-push hook about a push. byGit means that git has to run it itself, since it
// uploads large files.
func (l *Lander) askPush(ctx context.Context, branch, as, tip string) (byGit bool, err error) {
	hooks, err := l.FindHooks(ctx)
	a := judge.HookRequest{Candidate: judge.Candidate{Repo: l.Work.Repo(), Tree: tip}, Head: tip, Push: &judge.Push{Remote: l.Remote.Name}}
	if err != nil || !hooks.HasHooks(a) {
		return false, err
	}
	switch classifyPushHook(l.Work.Top(), hooks.Folder) {
	case noHook:
		return false, nil
	case lfsHook:
		return true, nil
	}
	if a.Base, err = l.pushedBefore(ctx, as, tip); err != nil {
		return false, err
	}
	old := a.Base
	if old == "" {
		old = strings.Repeat("0", len(tip))
		a.Base = tip
	}
	a.Push.URL, err = l.Work.Remotes().URL(ctx, l.Remote.Name)
	if err != nil {
		return false, err
	}
	a.Push.Line = fmt.Sprintf("refs/heads/%s %s refs/heads/%s %s", branch, tip, as, old)
	v, err := hooks.CheckCommit(ctx, a)
	if err == nil && !v.OK {
		err = &hookError{"push", v.Output}
	}
	return false, err
}

// pushedBefore returns the newest commit of what is pushed that the remote has, or "".
func (l *Lander) pushedBefore(ctx context.Context, as, tip string) (string, error) {
	for _, args := range [][]string{{"merge-base", tip, "refs/remotes/" + l.Remote.Name + "/" + as}, {"merge-base", "--octopus", tip, "refs/remotes/" + l.Remote.Name + "/HEAD"}} {
		a, err := l.Work.Repo().Run(ctx, git.Call{Args: args})
		if hash := strings.TrimSpace(string(a.Stdout)); err != nil || a.Exit == 0 && hash != "" {
			return hash, err
		}
	}
	return "", nil
}

// pushHook is a kind of pre-push hook.
type pushHook int

const (
	noHook  pushHook = iota // or warp's own, which guards branches from others
	lfsHook                 // Git LFS's, out of an agent's reach: it uploads files
	customHook
)

const (
	warpMark       = "written by warp init" // marks hooks written by warp
	replacedSuffix = ".before-warp"         // suffix of the hook that was there before
	maxPusher      = 64 << 10
)

// classifyPushHook classifies the pre-push hook of a work tree.
func classifyPushHook(top, folder string) pushHook {
	name := filepath.Join(folder, "pre-push")
	content, err := durable.ReadPlain(name)
	if err == nil && strings.Contains(string(content), warpMark) {
		name += replacedSuffix
		content, err = durable.ReadPlain(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return noHook
	}
	rel, outside := filepath.Rel(filepath.Join(top, ".git"), folder)
	if err == nil && outside == nil && filepath.IsLocal(rel) && len(content) < maxPusher && isLFS(string(content)) {
		return lfsHook
	}
	return customHook
}

// isLFS reports whether a hook is exactly what Git LFS installs.
func isLFS(script string) (is bool) {
	for line := range strings.Lines(script) {
		switch line = strings.TrimSpace(line); {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "command -v git-lfs >/dev/null 2>&1 || { ") && strings.HasSuffix(line, "; exit 2; }") && !strings.ContainsAny(line, "$`"):
		case line == `git lfs pre-push "$@"`:
			is = true
		default:
			return false
		}
	}
	return is
}
