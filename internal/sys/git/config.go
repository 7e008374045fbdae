package git

import (
	"context"
	"strings"
)

// MergeStrategy returns "no-ff" if the user has set merge.ff to false, and "ff-only" otherwise.
func (r Repo) MergeStrategy() (string, error) {
	raw := Call{Args: []string{"config", "--get", "merge.ff"}}
	a, err := r.Run(context.Background(), raw)
	switch {
	case err != nil:
		return "", err
	case a.Exit == 1:
		return "ff-only", nil
	case a.Exit != 0:
		return "", r.failure(raw, a)
	}
	// Let git decide what counts as false. It fails on «only», which is not false.
	a, err = r.Run(context.Background(), Call{Args: []string{"config", "--bool", "--get", "merge.ff"}})
	if err == nil && a.Exit == 0 && strings.TrimSpace(string(a.Stdout)) == "false" {
		return "no-ff", nil
	}
	return "ff-only", err
}

// Alias returns the command that a git alias stands for.
func (r Repo) Alias(name string) (string, bool) {
	if strings.ContainsAny(name, "\n=") {
		return "", false
	}
	value, found, err := r.maybe("config", "--get", "alias."+name)
	return value, found && err == nil
}
