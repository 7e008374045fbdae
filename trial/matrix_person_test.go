//go:build linux

package trial

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"warp/internal/testkit/programs"
)

// occupied makes a project whose person is in the middle of something: files that
// are changed, staged and changed again, new, ignored one by one and as a folder;
// a branch, a tag, a stash and a hook; a remote that has main; two issues.
const occupied = `mkdir -p "$HOME" && git init -q -b main && git config user.name t && git config user.email t@example.invalid
echo '{"private": true}' > package.json
cat > sum.test.js <<'END'
const test = require("node:test");
const assert = require("node:assert");
test("adds", () => {
	assert.equal(1 + 1, 2);
	assert.equal(2 + 2, 4);
});
test("adds nothing", () => {
	assert.equal(1 + 0, 1);
});
END
cat > test.sh <<'END'
for f in demo_*.js; do
	case $f in *.test.js | 'demo_*.js') continue ;; esac
	grep -qE '=> "(AC|work)-' "$f" || { echo "FAIL: $f does not do what it is to do"; exit 1; }
done
END
echo one > notes.txt
echo one > staged.txt
printf '.env\nsecrets/\n' > .gitignore
git add -A && git commit -q -m 'chore: begin'
echo precious > precious.txt
git add -A && git commit -q -m 'feat: the last commit of the person'
git init -q --bare -b main ../origin.git && git remote add origin "$PWD/../origin.git" && git push -q origin main
git commit-tree -m side -p main main^{tree} > ../side && git branch side $(cat ../side) && git tag v1 side
echo stashed > stashed.txt && git stash push -q -u -- stashed.txt
rm -f .git/hooks/*
printf '#!/bin/sh\nexit 0\n' > .git/hooks/post-merge && chmod 755 .git/hooks/post-merge
warp config set test_command 'sh test.sh'
warp config set max_idle_seconds 10
warp config set max_retries_per_chunk 2
warp config set max_phase_minutes 1
warp config set level 3
warp config set agent demo
printf '%s\n' '- [ ] AC-01: the first thing' '- [ ] AC-02: the second thing' > body.md
warp issue new --title Mail --body-file body.md --label req --label approved
rm body.md
warp issue new --title 'An idea of a person' --label idea
echo 'a note' >> notes.txt
echo two >> staged.txt && git add staged.txt && echo three >> staged.txt
echo SECRET=1 > .env
mkdir secrets && echo 'a private key' > secrets/key
echo mine > scratch.txt`

// private are the person's files that are in no commit, and must never be.
var private = []string{"notes.txt", "staged.txt", ".env", "secrets/key", "scratch.txt", ".claude/settings.local.json", ".claude/issues/2.md"}

// proofs are the tests of the person's, and what they stand on.
var proofs = []string{"sum.test.js", "test.sh", "package.json", "precious.txt"}

// theirs are the things of the person that a command tells: it is to tell the same
// of them when all is over.
var theirs = map[string]string{
	"the index":                `git diff --cached --name-status HEAD -- . ':!demo_*'; git show :staged.txt`,
	"the branch side":          `git rev-parse refs/heads/side`,
	"the tag":                  `git rev-parse refs/tags/v1`,
	"the stash":                `git stash list --format=%H`,
	"git's config":             `git config --local --list | grep -v '^branch\.\(feature\|workflow\|warp\)/' | sort`,
	"hooks":                    `ls -l .git/hooks | awk 'NR > 1 { print $1, $NF }'; cat .git/hooks/post-merge`,
	"git's info":               `cat .git/info/exclude .git/info/attributes .git/objects/info/alternates .git/config.worktree .git/shallow 2>/dev/null || true`,
	"replaced objects":         `git for-each-ref refs/replace`,
	"the other work trees":     `git worktree list --porcelain | grep '^worktree' | grep -v '/\.claude/' || true`,
	"something is under way":   `ls -d .git/*.lock .git/refs/heads/*.lock .git/rebase-* .git/MERGE_HEAD .git/CHERRY_PICK_HEAD 2>/dev/null || true`,
	"an issue of the person":   `cat .claude/issues/2.md`,
	"the requirement":          `sed -n 's/^- \[.\] \(AC-.*\)/\1/p' .claude/issues/1.md`,
	"the person's last commit": `git merge-base --is-ancestor $(cat ../base) main && echo there`,
}

var occupiedSeed struct {
	sync.Once
	dir string
	err error
}

// newOccupied is a copy of such a project.
func newOccupied(t *testing.T) *project {
	t.Helper()
	occupiedSeed.Do(func() {
		occupiedSeed.dir = filepath.Join(filepath.Dir(bin), "occupied")
		if occupiedSeed.err = os.MkdirAll(filepath.Join(occupiedSeed.dir, "project"), 0o755); occupiedSeed.err != nil {
			return
		}
		p := &project{t: t, root: filepath.Join(occupiedSeed.dir, "project"), home: filepath.Join(occupiedSeed.dir, "home")}
		p.sh(occupied)
	})
	if occupiedSeed.err != nil {
		t.Fatal(occupiedSeed.err)
	}
	dir, err := os.MkdirTemp(filepath.Dir(bin), "cell-") // its name says nothing that could be taken for something that was said
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := programs.CopyTree(dir, occupiedSeed.dir); err != nil {
		t.Fatal(err)
	}
	p := &project{t: t, root: filepath.Join(dir, "project"), home: filepath.Join(dir, "home")}
	p.sh(`git remote set-url origin "$PWD/../origin.git" && git status --porcelain`)
	return p
}

// possessions are the person's things at one moment: files by their names, the
// rest by what it is called. Blobs are what git calls the private files.
type possessions struct {
	things map[string]string
	blobs  map[string]string
	proofs string
}

// record looks at what the person has. A command that fails says so in what it
// tells, and differs.
func (p *project) record() possessions {
	r := possessions{things: map[string]string{}, blobs: map[string]string{}}
	for _, name := range private {
		r.things[name] = p.mode(name) + p.read(name)
		r.blobs[p.tell("git hash-object "+name)] = name
	}
	r.blobs[p.tell("git rev-parse :staged.txt")] = "what is staged of staged.txt"
	for name, command := range theirs {
		r.things[name] = p.tell(command)
	}
	r.proofs = p.tell("cat " + strings.Join(proofs, " "))
	return r
}

func (p *project) mode(name string) string {
	info, err := os.Lstat(filepath.Join(p.root, name))
	if err != nil {
		return ""
	}
	return info.Mode().String() + " "
}

// tell is what a command prints, and how it failed.
func (p *project) tell(script string) string {
	out, err := p.command("sh", "-c", script).Output()
	if err != nil {
		return fmt.Sprintf("%s(%v)", out, err)
	}
	return strings.TrimSpace(string(out))
}

// missing are the things that are no longer as they were.
func (r possessions) missing(now possessions) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(r.things)) {
		if r.things[name] != now.things[name] {
			names = append(names, name)
		}
	}
	return names
}
