package workflow

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/failure"
	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/engine/judge"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
)

// prove runs everything that can be run on the tree that is to be merged: what was
// met once may hold no more, since a later task, or a person, has undone it.
func (l *landing) prove(ctx context.Context, tip string) error {
	dir, leave, err := l.exactly(ctx, tip)
	if err != nil {
		return err
	}
	defer leave()
	why := ""
	err = l.running(ctx, "", func() error {
		if why, err = l.holds(ctx, dir); err != nil || why != "" {
			return err
		}
		why, l.red, err = l.suite(ctx, dir)
		return err
	})
	if err == nil && why == "" {
		why, err = l.weakened(l.now().Base, tip, l.asked())
	}
	if err == nil && why != "" {
		err = fmt.Errorf("what would be merged into %s does not hold: %s; fix it on the branch %s", l.target, text.Opening(why), l.now().Branch)
	}
	return err
}

// holds says which criterion with a command, of a completed task or of the whole,
// does not hold.
func (l *landing) holds(ctx context.Context, dir string) (string, error) {
	type check struct{ of, line string }
	var list []check
	add := func(of string, criteria []taskdoc.Criterion) {
		for _, c := range criteria {
			if c.Run != "" {
				list = append(list, check{fmt.Sprintf("%s, criterion «%s»: ", of, c.Text), c.Run})
			}
		}
	}
	for _, t := range l.plan().Tasks() {
		if l.now().IsDone(t.ID) {
			add("task "+t.ID, t.Criteria)
		}
	}
	add("the whole", l.Criteria)
	for _, line := range l.verification() {
		list = append(list, check{"verification: ", line})
	}
	for _, c := range list {
		said, err := l.command(dir, c.line).Run(ctx)
		if err != nil || !said.Passed {
			return c.of + l.Redact(said.String()), err
		}
	}
	return "", nil
}

// outcome is what a run of the project's tests says.
type outcome struct {
	Passed  bool     `json:"passed"`
	Failing []string `json:"failing,omitempty"`
	Print   string   `json:"print"` // of what it says where no test is named
}

// suite runs the project's tests. Why says what the work has broken; red are tests
// that fail, and did before.
func (j outer) suite(ctx context.Context, dir string) (why string, red []string, err error) {
	if j.Tests == "" {
		return "", nil, nil
	}
	said, err := j.command(dir, j.Tests).Run(ctx)
	if err != nil || said.Passed {
		return "", nil, err
	}
	base := j.now().Base
	was, err := step.Found(j.mem, "suite-"+base, func() (r outcome, err error) {
		dir, leave, err := j.checkout(ctx, base)
		if err != nil {
			return r, err
		}
		defer leave()
		said, err := j.command(dir, j.Tests).Run(ctx)
		return read(said), err
	})
	if err != nil {
		return "", nil, err
	}
	now := read(said)
	broke := slices.DeleteFunc(slices.Clone(now.Failing), func(name string) bool { return slices.Contains(was.Failing, name) })
	switch {
	case !was.Passed && len(now.Failing) > 0 && len(broke) == 0, !was.Passed && len(now.Failing)+len(was.Failing) == 0 && now.Print == was.Print:
		if len(now.Failing) == 0 {
			now.Failing = []string{j.Tests}
		}
		return "", now.Failing, nil
	case len(broke) > 0:
		return fmt.Sprintf("the test suite (%s) fails: %s", j.Tests, text.Quote(broke, 10)), nil, nil
	}
	return "the test suite fails: " + j.Redact(said.String()), nil, nil
}

func read(s judge.Said) outcome {
	return outcome{Passed: s.Passed, Failing: failure.Failing(s.Output), Print: fmt.Sprint(s.Exit, failure.Signature(s.Excerpt()))}
}

// exactly is a folder that has what a commit has, and nothing that is uncommitted:
// the work tree where it is so, else one that is made for it.
func (j outer) exactly(ctx context.Context, commit string) (dir string, leave func(), err error) {
	now, err := j.snapshot()
	if err != nil {
		return "", nil, err
	}
	changes, err := j.tree.Repo().Changes(commit, now)
	if err != nil {
		return "", nil, err
	}
	if !slices.ContainsFunc(git.Paths(changes), func(p string) bool { return !strings.Contains("/"+p, "/.claude/") }) {
		return j.dir, func() {}, nil
	}
	return j.checkout(ctx, commit)
}

// checkout makes a work tree of a commit, with what it ignores of the person's:
// dependencies are among that. What only the work tree's own rules ignore by now is
// left out, since the commit does not have it.
func (j outer) checkout(ctx context.Context, commit string) (dir string, leave func(), err error) {
	t, err := j.Work.Checkout(ctx, "workflow-"+j.now().ID, commit)
	if err != nil {
		return "", nil, err
	}
	leave = func() { _ = j.Work.Abandon(context.WithoutCancel(ctx), t.Top()) } // the next one takes its place
	list, err := git.Repo{Dir: j.dir}.Run(ctx, git.Call{Args: []string{"ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"}})
	if err == nil {
		list, err = git.Repo{Dir: t.Dir}.Run(ctx, git.Call{Args: []string{"check-ignore", "-z", "--stdin"}, Stdin: list.Stdout})
	}
	if err != nil {
		leave()
		return "", nil, err
	}
	for _, name := range git.Split(list.Stdout) {
		if name = strings.TrimSuffix(name, "/"); !strings.HasPrefix(name+"/", ".claude/") {
			_ = os.Symlink(filepath.Join(j.dir, filepath.FromSlash(name)), filepath.Join(t.Dir, filepath.FromSlash(name))) // what is there, or has no folder, is done without
		}
	}
	return t.Dir, leave, nil
}
