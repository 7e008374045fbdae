package tracker

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"warp/internal/sys/git"
	"warp/internal/sys/proc"
)

// mainTree is the folder of the main worktree: linked ones have its tracker.
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

// git asks git for one line; "" when it has none.
func (c chooser) git(args ...string) string {
	return c.line(append([]string{"git", "-C", c.root}, args...))
}

// gitHubToken is the token for a host. gh is the last resort: it takes time.
func (c chooser) gitHubToken(host string) string {
	names := []string{"GITHUB_TOKEN", "GH_TOKEN"}
	if host != gitHub && !strings.HasSuffix(host, tenant) { // what gh has for other hosts goes first there
		names = []string{"GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GITHUB_TOKEN", "GH_TOKEN"}
	}
	for _, n := range names {
		if t := strings.TrimSpace(c.env(n)); t != "" {
			return t
		}
	}
	return c.line([]string{"gh", "auth", "token", "--hostname", host})
}

// committed reads files of the last commit: they are listed once.
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

// line is what a command says on one line; "" when it fails.
func (c chooser) line(argv []string) string {
	r, err := proc.Run(c.ctx, proc.Cmd{Argv: argv, Dir: c.root, Env: clean(os.Environ()), Timeout: 10 * time.Second})
	if err != nil || r.Exit != 0 || r.TimedOut {
		return ""
	}
	return strings.TrimSpace(string(r.Stdout))
}

// clean leaves out what would lead git to another repository.
func clean(env []string) []string {
	var out []string
	for _, kv := range env {
		if !strings.HasPrefix(kv, "GIT_DIR=") && !strings.HasPrefix(kv, "GIT_WORK_TREE=") && !strings.HasPrefix(kv, "GIT_INDEX_FILE=") {
			out = append(out, kv)
		}
	}
	return out
}
