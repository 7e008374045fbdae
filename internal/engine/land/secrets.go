package land

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"warp/internal/core/text"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
)

// mostScanned is how many commits are scanned before a push.
const mostScanned = "2000"

// scan refuses a tree that adds secrets to a commit.
func (l *Lander) scan(ctx context.Context, parent, tree string) error {
	if l.Leaks == nil || l.scanned == parent+" "+tree {
		return nil
	}
	err := l.Leaks.Check(ctx, l.Work.Repo(), parent, tree, l.Remark)
	if err == nil {
		l.scanned = parent + " " + tree
	}
	return err
}

var errOnlyChecked = errors.New("nothing is committed: it was only checked")

// Check checks whether a change may be committed, and commits nothing. The error is a Refusal if it
// may not.
func (l *Lander) Check(ctx context.Context, c Commit) error {
	var found error
	look := func(parent, tree string) {
		if found = l.scan(ctx, parent, tree); found == nil && !c.Hooked {
			found = l.askHooks(ctx, parent, tree, c.Message, c.Asked)
		}
	}
	key, err := changeKey(l.Work, c.Change)
	if tree := l.previews[key]; err == nil && tree != "" {
		head, _, _ := strings.Cut(key, " ")
		look(head, tree)
		return found
	}
	if err == nil {
		err = l.preview(ctx, c.Change, look)
	}
	var mixed *gitwrite.MixedError
	if errors.Is(err, gitwrite.ErrNothing) || errors.As(err, &mixed) { // committing will report it
		return nil
	}
	return errors.Join(err, found)
}

// Preview returns the tree that a commit of a change would have. If there is nothing to commit, or
// it cannot be separated from a person's changes, it returns the change's own.
func (l *Lander) Preview(ctx context.Context, c gitwrite.Change) (tree string, err error) {
	key, err := changeKey(l.Work, c)
	if err != nil {
		return "", err
	}
	if was := l.previews[key]; was != "" {
		return was, nil
	}
	defer func() {
		if err == nil && c.Tree != "" {
			l.previews = map[string]string{key: tree} // only the last one: it is needed several times
		}
	}()
	err = l.preview(ctx, c, func(_, would string) { tree = would })
	var mixed *gitwrite.MixedError
	if errors.Is(err, gitwrite.ErrNothing) || errors.As(err, &mixed) {
		return c.Tree, nil
	}
	return tree, err
}

// changeKey identifies a change on the present commit.
func changeKey(tree gitwrite.Tree, c gitwrite.Change) (string, error) {
	head, err := tree.Repo().Head()
	return head + " " + c.Base + " " + c.Tree, err
}

// TestedError reports that a commit would not have the tested tree.
type TestedError struct{ Tested, Now string }

func (e *TestedError) Error() string {
	return fmt.Sprintf("the tree to commit (%s) is not the tested one (%s): something was staged or changed meanwhile; test it again", text.Hash(e.Now), text.Hash(e.Tested))
}

// preview passes the tree of a would-be commit to look, without making the commit.
func (l *Lander) preview(ctx context.Context, c gitwrite.Change, look func(parent, tree string)) error {
	c.Check = func(_ context.Context, parent, tree string) error {
		look(parent, tree)
		return errOnlyChecked
	}
	if c.Message == "" {
		c.Message = "chore: check"
	}
	if _, err := l.Work.Commit(ctx, c); !errors.Is(err, errOnlyChecked) {
		return err
	}
	return nil
}

// scanCommits refuses to publish commits with secrets, of those that neither the remote nor a
// target has. A person or an agent that resolved a rebase may have made them, not only Commit.
func (l *Lander) scanCommits(ctx context.Context, tip string, targets ...string) error {
	if l.Leaks == nil || tip == "" {
		return nil
	}
	args := []string{"rev-list", "--format=%T %P", "--max-count=" + mostScanned, tip, "--not"}
	if l.Remote != nil {
		args = append(args, "--remotes="+l.Remote.Name)
	}
	out, err := l.Work.Repo().Must(ctx, git.Call{Args: append(args, targets...)})
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(out)) {
		w := append(strings.Fields(line), "") // the tree and its commit's parents
		if w[0] == "commit" {
			continue
		}
		if err := l.scan(ctx, w[1], w[0]); err != nil {
			return err
		}
	}
	return nil
}
