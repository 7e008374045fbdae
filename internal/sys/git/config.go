package git

import (
	"context"
	"strings"
)

// MergeStrategy returns "no-ff" if the user has set merge.ff to false, and "ff-only" otherwise.
func (r Repo) MergeStrategy() (string, error) {
	if _, isSet, err := r.maybe("config", "--get", "merge.ff"); err != nil {
		return "", err
	} else if !isSet {
		return "ff-only", nil
	}
	// Let git decide what counts as false. It fails on «only», which is not false.
	a, err := r.Run(context.Background(), Call{Args: []string{"config", "--bool", "--get", "merge.ff"}})
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
