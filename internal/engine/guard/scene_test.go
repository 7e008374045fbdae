package guard

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"warp/internal/durable"
	"warp/internal/testkit/gittest"
)

func TestMain(m *testing.M) { gittest.Main(m) }

// scene is a repository whose person is in the middle of something.
type scene struct {
	t     *testing.T
	root  string
	guard *Guard
	found []Finding
	said  []string
}

// begin makes it: a file is changed, one is staged and changed again, one is new,
// some are ignored; there are a branch, a tag, a stash, a hook and settings.
const begin = gittest.Init + `printf '.env\nsecrets/\nnode_modules/\n.claude/\n' > .gitignore
echo one > notes.txt; echo one > staged.txt; echo one > code.txt
git add -A && git commit -qm first && echo precious > precious.txt && git add -A && git commit -qm second
git branch other && git tag v1
echo stashed >> code.txt && git stash push -q
echo two >> notes.txt; echo two >> staged.txt && git add staged.txt && echo three >> staged.txt
echo SECRET=1 > .env; echo mine > scratch.txt; mkdir secrets node_modules; echo key > secrets/a.key; echo dep > node_modules/x.js
printf '#!/bin/sh\n' > .git/hooks/post-merge && chmod 700 .git/hooks/post-merge
mkdir -p .claude/issues .claude/state && echo '{"a":1}' > .claude/settings.json && echo issue > .claude/issues/1.md
echo '{"row":1}' > .claude/state/events.jsonl`

// look prints all that is a person's.
const look = `git rev-parse HEAD main other v1 stash@{0}; git symbolic-ref HEAD; git diff --cached; cat notes.txt staged.txt scratch.txt .env secrets/a.key precious.txt .gitignore
cat .claude/settings.json .claude/issues/1.md; stat -c %a .git/hooks/post-merge; git config user.name; cat .git/info/exclude; git ls-files; ls .git/refs/replace/* .git/index.lock .git/objects/info/alternates 2>/dev/null || true`

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{t: t, root: filepath.Join(gittest.Dir(t), "project")}
	if err := os.Mkdir(s.root, 0o755); err != nil {
		t.Fatal(err)
	}
	gittest.Copy(t, s.root, begin)
	s.guard = s.open()
	return s
}

// open makes a guard as a new process would.
func (s *scene) open() *Guard {
	s.t.Helper()
	g, err := New(Options{Root: s.root, Store: durable.New(durable.Config{Dir: filepath.Join(s.root, ".claude"), Now: time.Now, PID: os.Getpid()}),
		State: filepath.Join(filepath.Dir(s.root), "state"), Now: time.Now, Remark: func(f string, a ...any) { s.said = append(s.said, fmt.Sprintf(f, a...)) }})
	if err != nil {
		s.t.Fatal(err)
	}
	return g
}

func (s *scene) sh(script string) string {
	s.t.Helper()
	if out := gittest.Sh(s.t, s.root, script); out != "" {
		return out + "\n"
	}
	return ""
}

func (s *scene) scope() Scope {
	return Scope{Owner: "test", Label: "test", Refs: []string{"refs/heads/main"}, Report: func(f Finding) { s.found = append(s.found, f) }}
}

// run does something as an agent.
func (s *scene) run(sc Scope, does string) Outcome {
	s.t.Helper()
	r, err := s.guard.Before(context.Background(), sc)
	if err != nil {
		s.t.Fatal(err)
	}
	s.sh(does)
	out, err := r.After(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func (s *scene) what() (list []string) {
	for _, f := range s.found {
		list = append(list, f.What)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
