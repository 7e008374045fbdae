// Package tracker chooses a project's issue tracker by the setting forge, the remote origin and
// the environment.
//
// auto is GitHub if origin's host is github.com, below ghe.com, or GH_HOST, and there is a
// token; Gitea if origin is on the host of GITEA_URL and GITEA_TOKEN is set; else the files
// under .claude/issues. A token is only sent to the host it was meant for.
package tracker

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"warp/internal/adapter/forge/gitea"
	"warp/internal/adapter/forge/github"
	"warp/internal/adapter/forge/local"
	"warp/internal/cli/app"
	"warp/internal/core/redact/wire"
	"warp/internal/engine/forge"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

const (
	gitHub = "github.com"
	tenant = ".ghe.com" // GitHub's enterprise hosts, which take the same tokens
)

// Open opens a project's tracker, without contacting it.
func Open(ctx context.Context, a *app.App, d *turnstile.Drive) (forge.Tracker, error) {
	s, err := d.Project.Settings()
	if err != nil {
		return nil, fmt.Errorf("choosing the issue tracker: %w", err)
	}
	c := chooser{ctx: ctx, env: a.Getenv, root: mainTree(d.Root())}
	switch s.Workflow.Forge {
	case "local":
	case "github":
		return c.gitHub(true)
	case "gitea":
		if s.Refused != nil { // otherwise a clone could choose who gets the token
			return nil, s.Refused
		}
		return c.gitea(true)
	default:
		if t, err := c.auto(); t != nil || err != nil {
			return t, err
		}
		if r, err := c.origin(); err == nil && c.isGitHub(r.Host) {
			a.Note("origin is on GitHub, but there is no token, so the files under .claude/issues are used (run gh auth login, or warp config set forge local to make that explicit)")
		}
	}
	store := turnstile.Open(c.root, a.Env).Store()
	return local.New(local.Config{Store: store, User: c.git("config", "user.name"), Now: a.Env.Now, Committed: c.committed(), Merged: c.merged}), nil
}

type chooser struct {
	ctx  context.Context
	env  func(string) string
	root string
}

// merged reports whether a branch is merged into another. One that is gone is not known to be.
func (c chooser) merged(head, base string) bool {
	in, err := git.Repo{Dir: c.root}.Descends("refs/heads/"+base, "refs/heads/"+head)
	return err == nil && in
}

func (c chooser) auto() (forge.Tracker, error) {
	remote, err := c.origin()
	switch {
	case err != nil:
		return nil, nil
	case c.isGitHub(remote.Host):
		return c.gitHub(false)
	case c.isGitea(remote.Host):
		return c.gitea(false)
	}
	return nil, nil
}

// isGitea reports whether a host is the one in GITEA_URL. A token must not be sent to whatever
// host a repository names.
func (c chooser) isGitea(host string) bool {
	u, err := url.Parse(c.env("GITEA_URL"))
	return err == nil && u.Host != "" && (strings.EqualFold(u.Hostname(), host) || strings.EqualFold(u.Host, host))
}

// origin returns the repository's remote.
func (c chooser) origin() (forge.Remote, error) {
	address := c.git("remote", "get-url", "origin")
	if address == "" {
		return forge.Remote{}, &forge.Error{Doing: "choosing the issue tracker", Reason: forge.NotFound,
			Why: "the repository has no remote origin", Advice: "run git remote add origin URL, or warp config set forge local"}
	}
	r, err := forge.ParseRemote(address)
	if err != nil {
		return r, &forge.Error{Doing: "choosing the issue tracker by the remote origin", Reason: forge.Invalid,
			Why: err.Error(), Advice: "run git remote set-url origin URL, or warp config set forge local"}
	}
	return r, nil
}

func (c chooser) isGitHub(host string) bool {
	return host == gitHub || host == "ssh."+gitHub || strings.HasSuffix(host, tenant) || host == strings.ToLower(c.env("GH_HOST"))
}

// api returns the API address of a GitHub host; "" for github.com.
func api(host string) string {
	switch {
	case host == gitHub:
		return ""
	case strings.HasSuffix(host, tenant):
		return "https://api." + host + "/"
	}
	return "https://" + host + "/api/v3/"
}

// gitHub opens GitHub; nil without a token, unless wanted is set.
func (c chooser) gitHub(wanted bool) (forge.Tracker, error) {
	const doing = "opening the issues on GitHub"
	remote, err := c.origin()
	if err != nil {
		return nil, err
	}
	if !c.isGitHub(remote.Host) {
		return nil, &forge.Error{Doing: doing, Reason: forge.Invalid, Why: "origin is on " + remote.Host + ", which is neither github.com, nor below ghe.com, nor GH_HOST",
			Advice: "set GH_HOST=" + remote.Host + " if that is a GitHub Enterprise server, or warp config set forge auto"}
	}
	host := remote.Host
	if host == "ssh."+gitHub {
		host = gitHub
	}
	address := cmp.Or(c.env("WARP_GITHUB_API"), api(host))
	token := c.gitHubToken(host)
	if token == "" && !wanted {
		return nil, nil
	}
	if token == "" {
		return nil, &forge.Error{Doing: doing, Reason: forge.NoLogin, Why: "there is no token", Advice: "run gh auth login, or set GITHUB_TOKEN"}
	}
	if !wire.MayCarrySecrets(cmp.Or(address, github.API)) {
		return nil, &forge.Error{Doing: doing, Reason: forge.Invalid, Why: "its API is not encrypted, and the token would be sent in the clear", Advice: "correct WARP_GITHUB_API"}
	}
	return github.New(github.Config{URL: address, Owner: remote.Owner, Name: remote.Name, Token: token})
}

// gitea opens Gitea; nil without a token, unless wanted is set.
func (c chooser) gitea(wanted bool) (forge.Tracker, error) {
	const doing = "opening the issues on Gitea"
	remote, err := c.origin()
	if err != nil {
		return nil, err
	}
	address := c.env("GITEA_URL")
	switch {
	case address == "":
		address = remote.Web
	case !c.isGitea(remote.Host):
		return nil, &forge.Error{Doing: doing, Reason: forge.Invalid, Why: "origin is on " + remote.Host + ", which is not the host of GITEA_URL",
			Advice: "correct one of them, or warp config set forge local"}
	}
	if u, err := url.Parse(address); err != nil || u.User != nil {
		return nil, &forge.Error{Doing: doing, Reason: forge.Invalid, Why: "GITEA_URL is not an address such as https://host", Advice: "correct it, and put the token into GITEA_TOKEN"}
	}
	token := c.env("GITEA_TOKEN")
	if token == "" && !wanted {
		return nil, nil
	}
	if token != "" && !wire.MayCarrySecrets(address) {
		return nil, &forge.Error{Doing: doing, Reason: forge.Invalid, Why: "it is not encrypted, and the token would be sent in the clear",
			Advice: "set GITEA_URL to an address that begins with https://"}
	}
	if token == "" {
		return nil, &forge.Error{Doing: doing, Reason: forge.NoLogin, Why: "there is no token",
			Advice: "make one under Settings, Applications of " + address + ", and set GITEA_TOKEN"}
	}
	return gitea.New(gitea.Config{URL: address, Owner: remote.Owner, Name: remote.Name, Token: token})
}

// mainTree returns the main work tree, whose tracker linked ones share.
func mainTree(root string) string {
	info, err := os.Lstat(filepath.Join(root, ".git"))
	if err != nil || info.IsDir() {
		return root
	}
	repo, err := git.Open(root)
	if err != nil {
		return root
	}
	common, err := repo.CommonDir()
	if err != nil || filepath.Base(common) != ".git" { // a submodule is a separate project
		return root
	}
	return filepath.Dir(common)
}

// git returns one line of git's output, or "".
func (c chooser) git(args ...string) string {
	return c.line(append([]string{"git", "-C", c.root}, args...))
}

// gitHubToken returns the token for a host. It asks gh last, since that is slow.
func (c chooser) gitHubToken(host string) string {
	names := []string{"GITHUB_TOKEN", "GH_TOKEN"}
	if host != gitHub && !strings.HasSuffix(host, tenant) { // elsewhere gh's own variables come first
		names = []string{"GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GITHUB_TOKEN", "GH_TOKEN"}
	}
	for _, n := range names {
		if t := strings.TrimSpace(c.env(n)); t != "" {
			return t
		}
	}
	return c.line([]string{"gh", "auth", "token", "--hostname", host})
}

// committed returns a reader of files in the last commit, which it lists once.
func (c chooser) committed() func(path string) ([]byte, bool) {
	repo := git.Repo{Dir: c.root}
	const folder, largest = ".claude/issues", 4 << 20
	tracked := sync.OnceValues(func() (string, []string) {
		head, err := repo.Head()
		if err != nil || head == "" {
			return "", nil
		}
		a, err := repo.Run(c.ctx, git.Call{Args: []string{"ls-tree", "-r", "-z", "--name-only", head, "--", folder + "/"}})
		if err != nil || a.Exit != 0 {
			return "", nil
		}
		return head, git.Split(a.Stdout)
	})
	return func(path string) ([]byte, bool) {
		head, names := tracked()
		if !slices.Contains(names, path) {
			return nil, false
		}
		text, err := repo.Trees().Content(head, path, largest)
		return text, err == nil
	}
}

// line returns a command's output as one line; "" on failure.
func (c chooser) line(argv []string) string {
	r, err := proc.Run(c.ctx, proc.Cmd{Argv: argv, Dir: c.root, Env: clean(os.Environ()), Timeout: 10 * time.Second})
	if err != nil || r.Exit != 0 || r.TimedOut {
		return ""
	}
	return strings.TrimSpace(string(r.Stdout))
}

// clean removes variables that would lead git to another repository.
func clean(env []string) []string {
	return slices.DeleteFunc(env, func(kv string) bool {
		return strings.HasPrefix(kv, "GIT_DIR=") || strings.HasPrefix(kv, "GIT_WORK_TREE=") || strings.HasPrefix(kv, "GIT_INDEX_FILE=")
	})
}
