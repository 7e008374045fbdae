//go:build unix

package cli_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"warp/internal/testkit/need"
)

// oddFiles are what an agent may put in the place of a file.
var oddFiles = map[string]func(path string) error{
	"a pipe":          func(p string) error { return syscall.Mkfifo(p, 0o600) },
	"an endless link": func(p string) error { return os.Symlink("/dev/zero", p) },
	"a link to a pipe": func(p string) error {
		return errors.Join(syscall.Mkfifo(p+".pipe", 0o600), os.Symlink(p+".pipe", p))
	},
	"a folder": func(p string) error { return os.MkdirAll(filepath.Join(p, "x"), 0o755) },
	"a socket": func(p string) error {
		dir, err := os.MkdirTemp("", "s") // names of sockets are short
		if err != nil {
			return err
		}
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "s")})
		if err != nil {
			return err
		}
		l.SetUnlinkOnClose(false)
		return errors.Join(os.Rename(filepath.Join(dir, "s"), p), l.Close(), os.Remove(dir))
	},
	"a hole of 2 GB": func(p string) error {
		f, err := os.Create(p)
		if err != nil {
			return err
		}
		return errors.Join(f.Truncate(2<<30), f.Close())
	},
}

// readFiles are what warp reads under a project, in groups that are planted at once: one
// that is refused must not keep another from being read.
var readFiles = [][]string{
	{".claude/settings.local.json"},
	{".claude/.warp-drive-state.json", ".claude/settings.json", ".env", "package.json", ".claude/locks.json"},
	{".claude/state/events.jsonl", ".claude/.warp-drive-owner.json", "Makefile"},
	{".claude/issues/1.md", ".claude/state/inbox.json", ".claude/state/answers", "test.sh", ".claude/pipeline-runs/one/state.json", ".claude/learnings.jsonl"},
	{".claude/issues/.last", ".claude/pipeline-runs/one/progress-one.md", ".claude/pipeline-runs/one/output.md", ".claude/agent-state.json", "prompt.md", ".claude/CLAUDE.md"},
	{".claude/state/loop/LOOP_STATE.md", ".claude/locks/warp-drive.lock", ".claude/state/agents/running/x.json", ".claude/pipelines/p.yaml", ".claude/state/written", "dev.json", "tasks.md"},
}

// Nothing that an agent puts in the place of a file makes warp hang: each command ends
// by itself, well or not. A sample: a pipe in the place of each file, the other kinds in that
// of two groups each; make sweep has each kind in the place of each file.
func TestNothingHangsOnOddFiles(t *testing.T) {
	need.Tool(t, "git")
	commands := [][]string{
		{"warp", "status"}, {"warp", "doctor", "--quick"}, {"warp", "report"}, {"warp", "hook", "PreToolUse"}, {"warp", "hook", "UserPromptSubmit"},
		{"warp", "loop", "two", "x", "--max", "1"}, {"warp", "drive", "--once", "--level", "2"}, {"warp", "sessions"}, {"warp", "workflow", "run", "tasks.md", "--yes"},
		{"warp", "loop", "three", "--prompt", "prompt.md", "--max", "1"}, {"warp", "inbox"}, {"warp", "evidence"},
	}
	for n, kind := range slices.Sorted(maps.Keys(oddFiles)) {
		plant := oddFiles[kind]
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			root := filepath.Join(home, "p")
			run := func(args ...string) {
				t.Helper()
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
				defer cancel()
				c := exec.CommandContext(ctx, args[0], args[1:]...)
				c.Dir, c.Stdin = root, strings.NewReader(`{"session_id":"s1","cwd":"`+root+`","tool_name":"Bash","tool_input":{"command":"git status"},"prompt":"warp continue"}`)
				c.Env = append(os.Environ(), "HOME="+home, "WARP_SANDBOX=off", "GORACE=atexit_sleep_ms=0", "GIT_CONFIG_GLOBAL="+filepath.Join(home, "none"),
					"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.invalid", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.invalid")
				var said bytes.Buffer
				c.Stdout, c.Stderr = &said, &said
				if err := c.Run(); ctx.Err() != nil {
					t.Fatalf("%s hangs: %v\n%s", strings.Join(args, " "), err, said.String())
				}
			}
			for i, group := range readFiles {
				if i%3 != n%3 && kind != "a pipe" && os.Getenv("WARP_SWEEP") == "" {
					continue
				}
				if err := errors.Join(os.RemoveAll(root), os.MkdirAll(filepath.Join(root, ".claude", "issues"), 0o755)); err != nil {
					t.Fatal(err)
				}
				run("sh", "-c", `git init -q && git commit -q --allow-empty -m x && printf '%s\n' package.json Makefile test.sh dev.json .env tasks.md prompt.md '*.pipe' .claude > .git/info/exclude &&
printf -- '---\ntitle: x\nlabels: [req, approved]\nstate: open\n---\n\n- [ ] AC-01: x\n' > .claude/issues/1.md
echo '{"_workflow":{"agent":"demo","level":2}}' > .claude/settings.local.json; warp loop one x --max 1; git switch -q -c work; warp state init . --issue 1 --pid $$ --session s1`)
				for _, path := range group {
					full := filepath.Join(root, filepath.FromSlash(path))
					if err := errors.Join(os.RemoveAll(full), os.MkdirAll(filepath.Dir(full), 0o755), plant(full)); err != nil {
						t.Fatal(path, err)
					}
				}
				for _, c := range commands {
					run(c...)
				}
			}
		})
	}
}
