package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/durable"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
)

// hookSaid bounds what is kept of what hooks say: its end, where the error is.
const hookSaid = 64 << 10

// A Verdict is what the user's hooks think of a commit.
type Verdict struct {
	OK      bool
	Said    string
	Message string // as the hooks left it, which may add to it
}

// Precheck runs the user's own pre-commit and commit-msg hooks on exactly what
// Commit would commit. What they do to the work tree is theirs to do; what they
// change there is not in this verdict, so that the caller asks again.
func (t Tree) Precheck(ctx context.Context, c Change) (Verdict, error) {
	if !t.Hooked(ctx) {
		return Verdict{OK: true, Message: c.Message}, nil
	}
	p, err := t.plan(ctx, c)
	if err != nil {
		return Verdict{}, err
	}
	defer p.stage.Remove()
	if p.tree != "" { // hooks read the index
		if _, err := t.must(ctx, git.Call{Args: []string{"read-tree", p.tree}, Env: p.stage.Env}); err != nil {
			return Verdict{}, err
		}
	}
	file := filepath.Join(p.stage.Dir, "COMMIT_EDITMSG")
	if err := os.WriteFile(file, []byte(c.Message), 0o600); err != nil {
		return Verdict{}, fmt.Errorf("keeping the message for the hooks: %w", err)
	}
	// Hooks ask which files differ from the index, and would be told those
	// that git has not looked at. Exit code 1 says that some do differ.
	if _, err := t.run(ctx, git.Call{Args: []string{"update-index", "-q", "--refresh"}, Env: p.stage.Env}); err != nil {
		return Verdict{}, err
	}
	v := Verdict{OK: true, Message: c.Message}
	for _, hook := range [][]string{{"pre-commit"}, {"commit-msg", file}} {
		ok, said, err := t.hook(ctx, p.stage.Env, hook[0], hook[1:]...)
		if err != nil {
			return Verdict{}, err
		}
		v.Said = strings.TrimSpace(v.Said + "\n" + said)
		if !ok {
			v.OK = false
			return v, nil
		}
	}
	message, err := durable.ReadPlain(file)
	if err != nil {
		return Verdict{}, fmt.Errorf("reading the message that the hooks left: %w", err)
	}
	v.Message = string(message)
	return v, nil
}

// hookEnv is what «git commit» gives to hooks. Some programs take the plain C
// locale to forbid all other letters.
var hookEnv = []string{"GIT_EDITOR=:", "LC_ALL=C.UTF-8", "LANGUAGE="}

// hook runs one hook, if it is there.
func (t Tree) hook(ctx context.Context, env []string, name string, args ...string) (ok bool, said string, err error) {
	c := git.Call{Args: []string{"hook", "run", "--ignore-missing", name}, Env: append(env[:len(env):len(env)], hookEnv...), Hooks: true, Limit: slow, Max: hookSaid, Tail: true}
	if len(args) > 0 {
		c.Args = append(append(c.Args, "--"), args...)
	}
	a, err := t.run(ctx, c)
	if err != nil {
		return false, "", err
	}
	if a.Exit == 1 && strings.Contains(a.Stderr, "'hook' is not a git command") { // before 2.36
		return t.oldHook(ctx, c, name, args)
	}
	return a.Exit == 0, scrub(a.Stderr), nil
}

// oldHook runs a hook as git would.
func (t Tree) oldHook(ctx context.Context, c git.Call, name string, args []string) (ok bool, said string, err error) {
	out, err := t.must(ctx, git.Call{Args: []string{"rev-parse", "--git-path", "hooks/" + name}, Hooks: true})
	if err != nil {
		return false, "", err
	}
	file := filepath.FromSlash(strings.TrimSuffix(string(out), "\n"))
	if !filepath.IsAbs(file) {
		file = filepath.Join(t.root.Top, file)
	}
	st, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && st.Mode()&0o111 == 0 {
		return true, "", nil
	}
	c.Pass = passes
	res, err := proc.Run(ctx, proc.Cmd{Argv: append([]string{file}, args...), Dir: t.root.Top, Env: c.Environ(os.Environ()), Timeout: slow, Keep: hookSaid})
	if err == nil && res.TimedOut {
		err = fmt.Errorf("it %w after %v", git.ErrSlow, slow)
	}
	if err != nil {
		return false, "", fmt.Errorf("running the hook %s in %s: %w", name, t.root.Top, err)
	}
	return res.Exit == 0, scrub(strings.TrimSpace(string(res.Output))), nil
}

// Hooked tells whether there are hooks that look at a commit.
func (t Tree) Hooked(ctx context.Context) bool {
	out, err := t.must(ctx, git.Call{Args: []string{"rev-parse", "--git-path", "hooks"}, Hooks: true})
	if err != nil {
		return true
	}
	dir := strings.TrimSuffix(string(out), "\n")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(t.root.Top, dir)
	}
	for _, name := range []string{"pre-commit", "commit-msg"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}
