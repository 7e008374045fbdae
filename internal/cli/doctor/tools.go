package doctor

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"warp/internal/cli/app"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// exam is one visit: the command's surroundings and the project looked at.
type exam struct {
	app   *app.App
	drive *turnstile.Drive
	ctx   context.Context
}

// ask runs a tool and returns the first line that it prints.
func (x exam) ask(argv ...string) (line string, found, good bool) {
	r, err := proc.Run(x.ctx, proc.Cmd{Argv: argv, Dir: x.drive.Root(), Timeout: 10 * time.Second})
	if errors.Is(err, exec.ErrNotFound) {
		return "", false, false
	}
	line, _, _ = strings.Cut(strings.TrimSpace(string(r.Stdout)+string(r.Stderr)), "\n")
	return line, true, err == nil && r.Exit == 0
}

func tools(x exam) []finding {
	var out []finding
	line, found, good := x.ask("git", "--version")
	switch {
	case !found:
		return append(out, needsFix("git", "not found", "install git"))
	case !good:
		return append(out, needsFix("git", line, "git --version must work"))
	}
	out = append(out, ok("git", line))
	if _, err := git.Open(x.drive.Root()); err != nil {
		fix := "run git status there"
		if errors.Is(err, git.ErrNotRepo) {
			fix = "run git init, or cd into a repository"
		}
		out = append(out, needsFix("repository", err.Error(), fix))
	} else {
		out = append(out, ok("repository", x.drive.Root()))
	}
	if line, found, _ = x.ask("gh", "--version"); !found {
		return append(out, note("gh", "not found", "GitHub issues need a token in GITHUB_TOKEN, or gh"))
	}
	out = append(out, ok("gh", line))
	if line, _, good := x.ask("gh", "auth", "status"); !good {
		return append(out, note("gh login", line, "run gh auth login"))
	}
	return append(out, ok("gh login", "logged in"))
}

func agents(x exam) []finding {
	var out []finding
	cfg, _ := x.drive.Project.Settings()
	for _, name := range []string{"claude", "codex", "gemini"} {
		line, found, good := x.ask(name, "--version")
		switch {
		case found && good:
			out = append(out, ok("agent "+name, line))
		case found:
			out = append(out, note("agent "+name, "its --version fails: "+line, "install it again"))
		case name == cfg.Agent:
			out = append(out, note("agent "+name, "not found, and it is the configured agent", "install it, or choose another with warp config set agent NAME"))
		default:
			out = append(out, note("agent "+name, "not found", ""))
		}
	}
	return out
}
