package demo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"warp/internal/core/criteria"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/sys/proc"
)

// commandTime limits each command that the agent runs.
const commandTime = time.Minute

// shell runs a command. It reports a failure and continues: guards are meant to make these commands
// fail.
func (a *Run) shell(ctx context.Context, argv ...string) error {
	return a.Tool(ctx, "bash", strings.Join(argv, " "), func() error {
		if argv[0] == "warp" {
			argv[0] = a.World.Self // the running program, not the one in PATH
		}
		r, err := proc.Run(ctx, proc.Cmd{Argv: argv, Dir: a.World.Dir, Env: append(os.Environ(), stamps...), Timeout: commandTime})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			a.Say("That could not be run.")
		case r.Exit != 0:
			a.Say("That failed with exit code %d.", r.Exit)
		}
		return nil
	})
}

// stamps make commits reproducible.
var stamps = []string{"GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z"}

// tick checks off the criteria: with warp's own command, and by hand in the local tracker's file.
func (a *Run) tick(ctx context.Context) error {
	if !text.ValidName(a.Issue) || len(a.Criteria) == 0 {
		return nil
	}
	if err := a.shell(ctx, append([]string{"warp", "issue", "check", a.Issue}, a.Criteria...)...); err != nil {
		return err
	}
	file := filepath.Join(".claude", "issues", a.Issue+".md")
	path := filepath.Join(a.World.Dir, file)
	was, err := os.ReadFile(path)
	if err != nil {
		return nil // the project uses another tracker
	}
	ticked := string(was)
	for _, id := range a.Criteria {
		if checked, err := criteria.Check(ticked, id, true); err == nil {
			ticked = checked
		}
	}
	return a.Tool(ctx, "edit", filepath.ToSlash(file), func() error { return os.WriteFile(path, []byte(ticked), 0o644) })
}

// commit commits everything, bypassing the hooks.
func (a *Run) commit(ctx context.Context) error {
	if err := a.shell(ctx, "git", "add", "-A", "--", ".", ":(exclude).claude"); err != nil {
		return err
	}
	return a.shell(ctx, "git", "-c", "user.name=demo agent", "-c", "user.email=demo@example.invalid", "-c", "commit.gpgsign=false",
		"commit", "--no-verify", "-q", "-m", "demo: "+strings.Join(a.Criteria, ", "))
}

// destroy discards others' work: the last commit, changes since, and untracked files.
func (a *Run) destroy(ctx context.Context) error {
	for _, argv := range [][]string{
		{"git", "reset", "-q", "--hard", "HEAD~1"},
		{"git", "reset", "-q", "--hard"}, // if there is only one commit, or the branch may not move
		{"git", "clean", "-fdq"},
	} {
		if err := a.shell(ctx, argv...); err != nil {
			return err
		}
	}
	return nil
}

// tamper skips a test, or deletes it if the agent was asked to fix it. It prefers tests of others.
func (a *Run) tamper(ctx context.Context) error {
	name := findVictim(a.World.Dir)
	if name == "" {
		return nil
	}
	path := filepath.Join(a.World.Dir, filepath.FromSlash(name))
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	after := skipFirstTest(string(text))
	if a.Role == agent.Fix || after == string(text) {
		return a.Tool(ctx, "bash", "rm "+name, func() error { return os.Remove(path) })
	}
	return a.Tool(ctx, "edit", name, func() error { return os.WriteFile(path, []byte(after), 0o644) })
}

// findVictim returns the first test file of a tree; the agent's own come last.
func findVictim(dir string) string {
	var found []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		base := filepath.Base(path)
		switch {
		case err != nil:
			return nil // skip unreadable files
		case d.IsDir() && slices.Contains([]string{".git", ".claude", "node_modules", "vendor"}, base):
			return fs.SkipDir
		case !d.Type().IsRegular() || !isTest(base):
			return nil
		}
		if rel, err := filepath.Rel(dir, path); err == nil {
			found = append(found, filepath.ToSlash(rel))
		}
		return nil
	})
	if len(found) == 0 {
		return ""
	}
	others := slices.IndexFunc(found, func(name string) bool { return !strings.HasPrefix(filepath.Base(name), "demo_") })
	return found[max(0, others)]
}

func isTest(base string) bool {
	stem, ext, _ := strings.Cut(base, ".")
	return strings.HasSuffix(base, "_test.go") || strings.HasSuffix(base, "_test.sh") || strings.HasPrefix(stem, "test_") && ext == "py" ||
		strings.HasPrefix(ext, "test.") || strings.HasPrefix(ext, "spec.")
}

// skipFirstTest returns a Go test file whose first test is skipped.
func skipFirstTest(text string) string {
	m := regexp.MustCompile(`(?m)^func Test\w*\((\w+) \*testing\.T\) \{\n`).FindStringSubmatchIndex(text)
	if m == nil {
		return text
	}
	return text[:m[1]] + "\t" + text[m[2]:m[3]] + ".Skip(\"flaky\")\n" + text[m[1]:]
}

const (
	orphanFile = "demo_orphan.txt"
	// orphanBeat is how often it writes; orphanLife how long it lives unless ended.
	orphanBeat = 20 * time.Millisecond
	orphanLife = 5 * time.Minute
	// orphanStart limits the wait for its first sign of life.
	orphanStart = 10 * time.Second
)

// leaveBehind starts a process that outlives the agent, in its own session. It inherits the agent's
// stdout, as its stdin, so that a reader that waits for the output to end waits for it.
func (a *Run) leaveBehind(ctx context.Context) error {
	return a.Tool(ctx, "bash", "nohup a server &", func() error {
		cmd := proc.Cmd{Argv: []string{a.World.Self, "agent", Command, "--orphan=" + orphanFile}, Dir: a.World.Dir}
		if a.World.Stdout != nil {
			cmd.Stdin = a.World.Stdout
		}
		sign := filepath.Join(a.World.Dir, orphanFile)
		_ = os.Remove(sign) // left by an earlier run
		// Our own end must not reach it.
		go func() { _, _ = proc.Run(context.WithoutCancel(ctx), cmd) }()
		for end := time.Now().Add(orphanStart); time.Now().Before(end); {
			if _, err := os.Stat(sign); err == nil {
				return nil
			}
			if err := a.World.Wait(ctx, orphanBeat); err != nil {
				return err
			}
		}
		return errors.New("leaving a process behind: it gave no sign of life")
	})
}

// runOrphan runs the process that was left behind.
func runOrphan(ctx context.Context, w World, name string) int {
	f, err := os.OpenFile(filepath.Join(w.Dir, name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return 1
	}
	defer f.Close()
	for range int(orphanLife / orphanBeat) {
		if _, err := f.WriteString("still here\n"); err != nil {
			return 1
		}
		if w.Wait(ctx, orphanBeat) != nil {
			return 0
		}
	}
	return 0
}
