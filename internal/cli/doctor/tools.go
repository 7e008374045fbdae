package doctor

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"warp/internal/sys/git"
	"warp/internal/sys/proc"
)

// ask runs a tool and returns the first line that it prints.
func (x exam) ask(argv ...string) (line string, found, good bool) {
	r, err := proc.Run(x.ctx, proc.Cmd{Argv: argv, Dir: x.drive.Root(), Timeout: patience})
	if errors.Is(err, exec.ErrNotFound) {
		return "", false, false
	}
	line, _, _ = strings.Cut(strings.TrimSpace(string(r.Stdout)+string(r.Stderr)), "\n")
	return line, true, err == nil && r.Exit == 0
}

// tools wants git, a repository, and a commit to build on.
func tools(x exam) []Finding {
	line, found, good := x.ask("git", "--version")
	switch {
	case !found:
		return []Finding{problem("git", "not found", "install git")}
	case !good:
		return []Finding{problem("git", line, "git --version must work")}
	}
	out := []Finding{ok("git", line)}
	repo, err := git.Open(x.drive.Root())
	if err != nil {
		return append(out, explainNoRepository(x.drive.Root(), err))
	}
	head, err := repo.Head()
	switch {
	case err != nil:
		return append(out, problem("repository", err.Error(), "run git status there"))
	case head == "":
		return append(out, problem("repository", "it has no commit yet, so there is nothing to build on", "make a first commit"))
	}
	return append(out, ok("repository", x.drive.Root()))
}

// explainNoRepository says why there is no repository to work in. A work tree or submodule
// whose repository was moved must not be made a new one.
func explainNoRepository(root string, err error) Finding {
	if !errors.Is(err, git.ErrNotRepo) {
		return problem("repository", err.Error(), "run git status there")
	}
	link, bad := os.ReadFile(filepath.Join(root, ".git"))
	if named, is := strings.CutPrefix(strings.TrimSpace(string(link)), "gitdir: "); bad == nil && is {
		if strings.Contains(filepath.ToSlash(named), "/modules/") {
			return problem("repository", "the repository of this submodule is missing: "+named, "run git submodule update --init in the repository around it")
		}
		return problem("repository", "this work tree belongs to a repository that is gone: "+named, "run git worktree repair "+root+" where the repository is now")
	}
	return problem("repository", err.Error(), "run git init, or cd into a repository")
}
