package workflow

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/failure"
	"warp/internal/core/text"
	"warp/internal/engine/judge"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
)

// suite is the project's tests, run on the work as a whole.
type suite struct{ job *job }

// outcome is what a run of the project's tests says.
type outcome struct {
	Passed  bool     `json:"passed"`
	Failing []string `json:"failing,omitempty"`
	Print   string   `json:"print"` // of what it says where no test is named
}

func outcomeOf(s judge.Said) outcome {
	return outcome{Passed: s.Passed, Failing: failure.Failing(s.Output), Print: fmt.Sprint(s.Exit, failure.Signature(s.Excerpt()))}
}

// run runs the tests. Why says what the work has broken; red are tests that fail,
// and did before.
func (t suite) run(ctx context.Context, dir string) (why string, red []string, err error) {
	r := t.job.run
	if r.Tests == "" {
		return "", nil, nil
	}
	var said judge.Said
	err = t.job.running(ctx, "", func() (err error) {
		said, err = r.command(dir, r.Tests).Run(ctx)
		return err
	})
	if err != nil || said.Passed {
		return "", nil, err
	}
	base := r.now().Base
	was, err := step.Found(t.job.mem, "suite-"+base, func() (o outcome, err error) {
		dir, leave, err := t.checkout(ctx, base)
		if err != nil {
			return o, err
		}
		defer leave()
		said, err := r.command(dir, r.Tests).Run(ctx)
		return outcomeOf(said), err
	})
	if err != nil {
		return "", nil, err
	}
	now := outcomeOf(said)
	broke := slices.DeleteFunc(slices.Clone(now.Failing), func(name string) bool { return slices.Contains(was.Failing, name) })
	switch {
	case !was.Passed && len(now.Failing) > 0 && len(broke) == 0:
		return "", now.Failing, nil
	case !was.Passed && len(now.Failing)+len(was.Failing) == 0 && now.Print == was.Print:
		return "", []string{r.Tests}, nil
	case len(broke) > 0:
		return fmt.Sprintf("the test suite (%s) fails: %s", r.Tests, text.Quote(broke, 10)), nil, nil
	}
	return "the test suite fails: " + r.Redact(said.String()), nil, nil
}

// exactly is a folder that has what a commit has, and nothing that is uncommitted:
// the work tree where it is so, else one that is made for it.
func (t suite) exactly(ctx context.Context, commit string) (dir string, leave func(), err error) {
	_, paths, err := t.job.changed(commit)
	if err != nil {
		return "", nil, err
	}
	if !slices.ContainsFunc(paths, func(p string) bool { return !strings.Contains("/"+p, "/.claude/") }) {
		return t.job.dir, func() {}, nil
	}
	return t.checkout(ctx, commit)
}

// checkout makes a work tree of a commit, with what it ignores of the person's:
// dependencies are among that. What only the work tree's own rules ignore by now is
// left out, since the commit does not have it.
func (t suite) checkout(ctx context.Context, commit string) (dir string, leave func(), err error) {
	here := t.job.tree
	made, err := here.Checkout(ctx, "workflow-"+t.job.run.now().ID, commit)
	if err != nil {
		return "", nil, err
	}
	leave = func() { _ = here.Abandon(context.WithoutCancel(ctx), made.Top()) } // the next one takes its place
	list, err := git.Repo{Dir: t.job.dir}.Run(ctx, git.Call{Args: []string{"ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"}})
	if err == nil {
		list, err = git.Repo{Dir: made.Dir}.Run(ctx, git.Call{Args: []string{"check-ignore", "-z", "--stdin"}, Stdin: list.Stdout})
	}
	if err != nil {
		leave()
		return "", nil, err
	}
	for _, name := range git.Split(list.Stdout) {
		if name = strings.TrimSuffix(name, "/"); !strings.HasPrefix(name+"/", ".claude/") {
			_ = os.Symlink(filepath.Join(t.job.dir, name), filepath.Join(made.Dir, name)) // what is there, or has no folder, is done without
		}
	}
	return made.Dir, leave, nil
}
