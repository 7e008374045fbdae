package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/sys/git"
	"warp/internal/sys/work"
)

// commit commits what a task changed, once, and lists its files. A task that
// changed nothing has no commit.
func (j *job) commit(ctx context.Context) (hash string, files []string, err error) {
	hash, files, err = j.commitAs(ctx, j.mem.Base, fmt.Sprintf("feat: %s (task %s)\n\n%s: %s\n", j.Name, j.ID, trailerTask, j.trailer("work")))
	return hash, files, err
}

// commitAs commits what has changed since a tree. A commit with the same trailer
// that is there already is that commit, whatever died after it was made.
func (j *job) commitAs(ctx context.Context, base, message string) (hash string, files []string, err error) {
	trailer := lastLine(message)
	if hash, err = j.made(trailer); err != nil {
		return "", nil, err
	}
	if hash == "" {
		hash, err = j.tree.Commit(ctx, work.Change{Base: base, Exclude: []string{".claude"}, Message: j.Redact(message)})
		switch {
		case errors.Is(err, work.ErrNothing):
			return "", nil, nil
		case hash == "":
			return "", nil, err
		case err != nil:
			j.remark("%v", err)
		}
		j.passed("committed")
		j.tell(Note{Kind: Committed, Task: j.ID, Text: short(hash) + " " + strings.SplitN(message, "\n", 2)[0]})
	} else if head, err := j.tree.Repo().Head(); err != nil {
		return "", nil, err
	} else if head == hash { // the index may not have followed before a crash
		if err := j.tree.Refresh(ctx, hash); err != nil {
			return "", nil, err
		}
	}
	parent, err := j.parent(ctx, hash)
	if err != nil {
		return "", nil, err
	}
	changes, err := j.tree.Repo().Changes(parent, hash)
	files = paths(changes)
	slices.Sort(files)
	return hash, slices.Compact(files), err
}

func (j *job) parent(ctx context.Context, hash string) (string, error) {
	a, err := j.tree.Repo().Run(ctx, git.Call{Args: []string{"rev-parse", "--verify", hash + "^"}})
	if err == nil && a.Exit != 0 {
		err = errors.New(a.Stderr)
	}
	return strings.TrimSpace(string(a.Stdout)), err
}

// made finds the commit with a trailer among those since the workflow began.
func (j *job) made(trailer string) (string, error) {
	repo := j.tree.Repo()
	head, err := repo.Head()
	if err != nil {
		return "", err
	}
	list, err := repo.Commits(head, j.now().Base)
	if err != nil {
		return "", err
	}
	for _, c := range list {
		if slices.Contains(strings.Split(c.Message, "\n"), trailer) {
			return c.Hash, nil
		}
	}
	return "", nil
}

func lastLine(message string) string {
	lines := strings.Split(strings.TrimSpace(message), "\n")
	return lines[len(lines)-1]
}
