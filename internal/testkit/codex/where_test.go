package codex

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"warp/internal/sys/proc"
)

// Where hooks may stand, with the trust that each needs. In a linked worktree
// the CLI reads the project's hooks from the main checkout, and only when the
// worktree has a .codex folder: the hooks in that folder itself are passed over,
// trusted or not. Only the user's hooks are found wherever the CLI starts.
func TestWhereHooksAreFound(t *testing.T) {
	for _, c := range []struct {
		name, file, in string
		also           string // another file that is there
		project        string // the trust_level of the project
		found          bool
		often          bool // also without WARP_MATRIX
	}{
		{name: "user", file: ".codex/hooks.json", in: "proj", found: true},
		{name: "user, from a worktree", file: ".codex/hooks.json", in: "tree", found: true, often: true},
		{name: "project", file: "proj/.codex/hooks.json", in: "proj", found: true},
		{name: "project, trusted", file: "proj/.codex/hooks.json", in: "proj", project: "trusted", found: true},
		{name: "project, distrusted", file: "proj/.codex/hooks.json", in: "proj", project: "untrusted", often: true},
		{name: "project, from below", file: "proj/.codex/hooks.json", in: "proj/sub/folder", found: true},
		{name: "worktree", file: "tree/.codex/hooks.json", in: "tree", project: "trusted", often: true},
		{name: "main checkout, from a worktree", file: "proj/.codex/hooks.json", in: "tree", project: "trusted"},
		{name: "main checkout, from a worktree with a .codex", file: "proj/.codex/hooks.json", in: "tree", also: "tree/.codex/config.toml", project: "trusted", found: true, often: true},
	} {
		if !c.often && os.Getenv("WARP_MATRIX") == "" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			repository(t, p.dir)
			if c.project != "" {
				write(t, filepath.Join(p.home, ".codex", "config.toml"), []byte("[projects.\""+p.dir+"\"]\ntrust_level = \""+c.project+"\"\n"))
			}
			path := filepath.Join(p.home, c.file)
			hook := Hook{Event: "PreToolUse", Matcher: "Bash", Command: p.script(t, "echo no >&2; exit 2\n")}
			WriteHooks(t, path, hook)
			Trust(t, p.home, path, hook)
			p.dir = filepath.Join(p.home, c.in)
			write(t, filepath.Join(p.dir, "file"), nil)
			if c.also != "" {
				write(t, filepath.Join(p.home, c.also), nil)
			}
			s := Serve(t, []Step{Shell("touch ran"), Say("done")})
			p.run(t, s, Options{})
			if p.has("ran") == c.found {
				t.Errorf("the hook was found: %v, want %v; the model was told %q", !c.found, c.found, s.Output(0))
			}
		})
	}
}

// repository makes one with a commit, and a worktree beside it.
func repository(t *testing.T, dir string) {
	t.Helper()
	const script = `git init -q
git -c user.name=u -c user.email=u@example.org commit -q --allow-empty -m first
git worktree add -q ../tree`
	r, err := proc.Run(context.Background(), proc.Cmd{Argv: []string{"sh", "-ec", script}, Dir: dir, Timeout: time.Minute})
	if err != nil || r.Exit != 0 {
		t.Fatalf("making a repository: %v\n%s", err, r.Output)
	}
}
