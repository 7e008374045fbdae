package quickstart

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/cli/app"
	"warp/internal/cli/initcmd"
	"warp/internal/cli/leaks"
	"warp/internal/core/config"
	"warp/internal/core/gitignore"
	"warp/internal/core/leakscan"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/detect"
	"warp/internal/sys/git"
	"warp/internal/ui/render"
)

// makeFirstCommit makes the commit that a drive builds on, if there is none: of files that it
// names, without secrets and dependencies (--yes once committed .env and node_modules).
func (s *setup) makeFirstCommit(ctx context.Context) error {
	repo := git.Repo{Dir: s.drive.Root()}
	head, err := repo.Head()
	if err != nil || head != "" {
		return err
	}
	if err := s.ignoreUsual(); err != nil {
		return err
	}
	tree, err := repo.Snapshot()
	if err != nil {
		return err
	}
	files, err := listTree(ctx, repo, tree)
	if err != nil {
		return err
	}
	const byHand = "git add -A && git commit    "
	if why, err := s.refuseFiles(ctx, repo, tree, files); err != nil {
		return err
	} else if why != "" {
		s.say("First commit", "not made: %s", why)
		s.left = append(s.left, byHand+"after you have removed or ignored that; then warp quickstart")
		return nil
	}
	s.say("First commit", "chore: begin, %s", text.Count(len(files), "file"))
	s.say("", "%s", render.Printable(gitignore.Outline(files)))
	yes, err := s.ask.confirm(ctx, "There is no commit yet. Commit these files now?")
	if err != nil {
		return err
	}
	if !yes {
		s.left = append(s.left, byHand+"a drive needs a commit to build on")
		return nil
	}
	if err := s.git(ctx, "add", "-A"); err != nil {
		return err
	}
	return s.git(ctx, "commit", "-q", "-m", "chore: begin")
}

// ignoreUsual adds what projects of this kind ignore to .gitignore.
func (s *setup) ignoreUsual() error {
	file := filepath.Join(s.drive.Root(), gitignore.File)
	now, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	next := gitignore.AddUsual(string(now), gitignore.Usual(detect.ReadProject(s.drive.Root())))
	if next == string(now) {
		return nil
	}
	return durable.WriteFile(file, []byte(next), 0o644)
}

// refuseFiles returns why files must not be in the first commit, or "".
func (s *setup) refuseFiles(ctx context.Context, repo git.Repo, tree string, files []string) (string, error) {
	if folders := gitignore.DependencyFolders(files); len(folders) > 0 {
		return render.Printable(text.Quote(folders, 5)) + " would be committed: dependencies belong in .gitignore", nil
	}
	err := leaks.Scanner(s.app, s.drive).Check(ctx, repo, "", tree, nil)
	if found, is := errors.AsType[*leakscan.FoundError](err); is {
		return render.Printable(found.Brief()), nil
	}
	return "", err
}

func listTree(ctx context.Context, repo git.Repo, tree string) ([]string, error) {
	out, err := repo.Must(ctx, git.Call{Args: []string{"ls-tree", "-r", "-z", "--name-only", "--full-tree", tree}})
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), nil
}

// found is what was there before this attempt.
type found struct {
	head     string
	isSetUp  bool
	settings []byte
	ignore   []byte   // .gitignore; nil: none
	edited   []string // of the files that quickstart writes
}

// own are the paths that quickstart writes. Issues and pull requests there are the person's.
var own = []string{gitignore.File, ".claude", ":(exclude).claude/issues", ":(exclude).claude/pulls"}

func (s *setup) lookAround(ctx context.Context) (*found, error) {
	f := &found{}
	var err error
	if f.head, err = (git.Repo{Dir: s.drive.Root()}).Head(); err != nil {
		return nil, err
	}
	_, err = os.Stat(filepath.Join(s.drive.Root(), ".claude"))
	f.isSetUp = err == nil
	if f.settings, err = s.drive.Project.Home().ReadFile(config.File); err != nil {
		return nil, err
	}
	if f.ignore, err = os.ReadFile(filepath.Join(s.drive.Root(), gitignore.File)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	f.edited, err = s.uncommitted(ctx)
	return f, err
}

// uncommitted lists the uncommitted files among those that quickstart writes.
func (s *setup) uncommitted(ctx context.Context) (list []string, err error) {
	out, err := git.Repo{Dir: s.drive.Root()}.Must(ctx, git.Call{Args: append([]string{"ls-files", "-z", "-mo", "--exclude-standard", "--"}, own...)})
	if err != nil {
		return nil, err
	}
	staged, err := git.Repo{Dir: s.drive.Root()}.Must(ctx, git.Call{Args: append([]string{"diff", "--cached", "--name-only", "--relative", "-z", "--"}, own...)})
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(string(out)+string(staged), "\x00") {
		if name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list, nil
}

// commitOwnFiles commits what quickstart wrote, and nothing else.
func (s *setup) commitOwnFiles(ctx context.Context) error {
	head, err := git.Repo{Dir: s.drive.Root()}.Head()
	if err != nil || head == "" {
		return err
	}
	list, err := s.uncommitted(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	const message = "chore: set up warp"
	line := fmt.Sprintf("git add %s && git commit -m '%s'    ", strings.Join(own[:2], " "), message)
	if yours := slices.DeleteFunc(slices.Clone(list), func(f string) bool { return !slices.Contains(s.before.edited, f) }); len(yours) > 0 {
		s.left = append(s.left, line+"not done for you: you had changed "+render.Printable(text.Quote(yours, 3)))
		return nil
	}
	if err = s.git(ctx, append([]string{"add", "--"}, list...)...); err == nil {
		err = s.git(ctx, append([]string{"commit", "-q", "-m", message, "--"}, list...)...)
	}
	if err != nil {
		s.left = append(s.left, line+"git did not take it: "+render.Printable(text.OneLine(err.Error())))
		return nil
	}
	s.say("Committed", message)
	return nil
}

// takeBack removes what a failed attempt stored, and returns its error. What is committed stays.
func (s *setup) takeBack(ctx context.Context, failed error) error {
	if s.before == nil || ctx.Err() != nil {
		return failed
	}
	var errs []error
	if head, err := (git.Repo{Dir: s.drive.Root()}).Head(); err == nil && head == s.before.head {
		if !s.before.isSetUp {
			errs = append(errs, s.do(ctx, initcmd.New, "--remove"))
		}
		errs = append(errs, restore(filepath.Join(s.drive.Root(), gitignore.File), s.before.ignore))
	}
	errs = append(errs, restore(filepath.Join(s.drive.Root(), filepath.FromSlash(config.File)), s.before.settings))
	if err := errors.Join(errs...); err != nil {
		return errors.Join(failed, fmt.Errorf("undoing what this attempt stored: %w", err))
	}
	if _, said := errors.AsType[*app.Silent](failed); said {
		return failed
	}
	return fmt.Errorf("%w (nothing was stored)", failed)
}

// restore gives a file its earlier content; nil: there was none.
func restore(file string, text []byte) error {
	if text != nil {
		return durable.WriteFile(file, text, 0o644)
	}
	return durable.RemoveFile(file)
}
