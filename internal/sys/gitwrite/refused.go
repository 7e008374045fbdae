package gitwrite

import (
	"fmt"
	"slices"
	"strings"

	"warp/internal/sys/git"
)

// Kind is the reason why a remote could not be used.
type Kind string

const (
	Rejected Kind = "rejected" // its branch has commits that ours lacks, or is not at the lease
	Denied   Kind = "denied"   // it refuses us or this push
	Network  Kind = "network"  // it cannot be reached
	Hook     Kind = "hook"     // the user's pre-push hook refused
	Missing  Kind = "missing"  // there is no such remote, repository or branch
	Other    Kind = "other"
)

// RemoteError means that a fetch or push failed.
type RemoteError struct {
	Op, Remote string
	Kind       Kind
	Said       string
}

func (e *RemoteError) Error() string {
	return fmt.Sprintf("%s %s: %s; %s", e.Op, e.Remote, e.Said, advice[e.Kind])
}

// Refused reports whether the remote was reached and rejected the push to this branch, which may be
// protected.
func (e *RemoteError) Refused() bool {
	return e.Kind == Denied && strings.Contains(e.Said, "[remote rejected]")
}

var advice = map[Kind]string{
	Rejected: "fetch and rebase first",
	Denied:   "check your permissions there, and that git can log in without asking",
	Network:  "check the network and try again",
	Hook:     "the pre-push hook refused the push; fix what it reports",
	Missing:  "«git remote -v» lists the remotes",
	Other:    "run it by hand to see the cause",
}

// refusal returns the line of push's porcelain output for a rejected branch.
func refusal(a git.Answer) string {
	for line := range strings.Lines(string(a.Stdout)) {
		if strings.HasPrefix(line, "!\t") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// classify derives the reason from git's output: first the branch, then the transport, and
// otherwise a hook, which can print anything.
func classify(a git.Answer) Kind {
	if r := refusal(a); r != "" {
		switch {
		case holds(r, "remote failure", "remote end hung up"):
			return Network
		case strings.Contains(r, "[remote rejected]") && !holds(r, "cannot lock ref", "failed to update ref", "fetch first"):
			return Denied
		}
		return Rejected
	}
	if strings.Contains(a.Stderr, "src refspec") {
		return Missing
	}
	if k, ok := way(a.Stderr); ok {
		return k
	}
	if a.Exit == 1 && strings.Contains(a.Stderr, "failed to push some refs") {
		return Hook
	}
	return Other
}

// way classifies failures of the transport, which git reports as fatal errors.
func way(said string) (Kind, bool) {
	fatal := false
	for _, s := range []string{"fatal: ", "error: RPC failed", "send-pack: unexpected disconnect"} {
		if strings.HasPrefix(said, s) || strings.Contains(said, "\n"+s) {
			fatal = true
		}
	}
	switch {
	case !fatal:
		return "", false
	case holds(said, "Authentication failed", "Permission denied", "could not read Username", "could not read Password", "terminal prompts disabled",
		"Host key verification failed", "error: 401", "error: 403", "access denied", "Access denied", "not permitted", "dubious ownership"):
		return Denied, true
	case holds(said, "does not appear to be a git repository", "epository not found", "' not found", "No such remote", "does not exist", "No such file or directory"):
		return Missing, true
	case holds(said, "Could not resolve", "unable to access", "Connection", "connect to", "timed out", "hung up", "early EOF", "RPC failed", "unexpected disconnect", "Network is unreachable", "Could not read from remote"):
		return Network, true
	}
	return Other, true
}

func holds(text string, some ...string) bool {
	return slices.ContainsFunc(some, func(s string) bool { return strings.Contains(text, s) })
}
