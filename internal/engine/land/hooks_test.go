package land

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/engine/judge"
	"warp/internal/testkit/rooms"
)

// withRooms lets a port ask the repository's hooks.
func withRooms(t *testing.T) *port {
	p := newPort(t)
	p.Hooks.CommandSetup = judge.CommandSetup{Environ: os.Environ(), Rooms: rooms.Open(t, p.dir)}
	return p
}

func (p *port) hook(name, script string) {
	p.Helper()
	p.must(os.MkdirAll(filepath.Join(p.dir, filepath.Dir(name)), 0o755))
	p.must(os.WriteFile(filepath.Join(p.dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
}

// refused is the word of hooks that refuse; "": they do not.
func (p *port) refused(err error) string {
	p.Helper()
	var hook *hookError
	if err != nil && !errors.As(err, &hook) {
		p.Fatal(err)
	}
	if err == nil {
		return ""
	}
	return hook.Error()
}

// The repository's hooks are asked about every commit, by every engine, and apart from
// the work tree: what they call may be the work itself.
func TestHooksAreAskedInARoom(t *testing.T) {
	p := withRooms(t)
	p.hook(".git/hooks/pre-commit", `pwd > `+p.dir+`/../where; git diff --cached --name-only; ls; ! grep -q bad code.txt`)
	p.hook(".git/hooks/commit-msg", `grep -q ^feat: "$1"`)
	c := p.commit("echo bad > code.txt")
	if why := p.refused(p.Check(t.Context(), c)); !strings.Contains(why, "commit hooks refuse it: code.txt") {
		t.Errorf("checked: %q", why)
	}
	if _, _, err := p.Commit(t.Context(), c); p.refused(err) == "" || p.sh("git log --format=%s -1") != "begin" {
		t.Errorf("committed: %v", err)
	}
	if where := p.sh("cat ../where"); strings.HasPrefix(where, p.dir) {
		t.Errorf("it ran in %s", where)
	}
	p.sh("git checkout -q code.txt")
	c = p.commit("echo good > code.txt")
	if _, _, err := p.Commit(t.Context(), c); err != nil {
		t.Errorf("good work: %v", err)
	}
	c = p.commit("echo better > code.txt")
	c.Message, c.Trailer = "a message that commit-msg does not like\n", ""
	if _, _, err := p.Commit(t.Context(), c); p.refused(err) == "" {
		t.Error("commit-msg was not asked")
	}
	c.Hooked = true
	if _, _, err := p.Commit(t.Context(), c); err != nil {
		t.Errorf("they were asked before: %v", err)
	}
}

// Hooks that are files of the work tree count as they were, and whatever they call.
func TestHooksCountAsTheyWere(t *testing.T) {
	for name, c := range map[string]struct{ does, asked, why string }{
		"a hook is rewritten":     {does: "echo bad > code.txt; echo exit 0 > .husky/pre-commit", why: `with ".husky/pre-commit" as before the work`},
		"what it calls is":        {does: "echo bad > code.txt; echo exit 0 > scripts/check.sh", why: `with "scripts/check.sh" as before the work`},
		"a criterion allows it":   {does: "echo bad > code.txt; echo exit 0 > .husky/pre-commit", asked: "allow-test-change: .husky/**"},
		"it is rewritten to fail": {does: "echo exit 1 > .husky/pre-commit", why: "refuse"},
		"both agree":              {does: "echo good > code.txt; echo '# more' >> .husky/pre-commit"},
		"a hook that is new":      {does: "printf '#!/bin/sh\\nexit 0\\n' > .husky/commit-msg; chmod 755 .husky/commit-msg"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := withRooms(t)
			p.hook(".husky/pre-commit", "sh scripts/check.sh")
			p.hook("scripts/check.sh", "! grep -q bad code.txt")
			p.sh("git config core.hooksPath .husky; git add -A; git commit -q --no-verify -m 'chore: hooks'")
			work := p.commit(c.does)
			work.Asked = []string{c.asked}
			_, _, err := p.Commit(t.Context(), work)
			if why := p.refused(err); (why == "") != (c.why == "") || !strings.Contains(why, c.why) {
				t.Errorf("%q, want %q", why, c.why)
			}
		})
	}
}

// A link to a script of the tree is a hook as well.
func TestAHookThatIsALinkIntoTheTree(t *testing.T) {
	p := withRooms(t)
	p.hook("scripts/check.sh", "! grep -q bad code.txt")
	p.sh("git add -A; git commit -qm 'chore: a check'; ln -s ../../scripts/check.sh .git/hooks/pre-commit")
	_, _, err := p.Commit(t.Context(), p.commit("echo bad > code.txt; echo exit 0 > scripts/check.sh"))
	if why := p.refused(err); !strings.Contains(why, `with "scripts/check.sh" as before`) {
		t.Errorf("%q", why)
	}
}

func TestPrePushIsAskedInARoom(t *testing.T) {
	p := withRooms(t)
	old, tip := p.sh("git rev-parse main"), p.change("bad.txt")
	p.hook(".git/hooks/pre-push", `echo "$PWD $1 $2 $(cat)" > `+p.dir+`/../where; test ! -e bad.txt`)
	if why := p.refused(p.push(t.Context(), "work", "main", p.sh("git rev-parse work"), p.Retry)); !strings.Contains(why, "push hooks refuse it") || p.sh("git ls-remote origin main | cut -f1") != old {
		t.Errorf("%q", why)
	}
	where := strings.Fields(p.sh("cat ../where"))
	want := []string{"origin", p.sh("git remote get-url origin"), "refs/heads/work", tip, "refs/heads/main", old}
	if len(where) != 7 || strings.HasPrefix(where[0], p.dir) || strings.Join(where[1:], " ") != strings.Join(want, " ") {
		t.Errorf("it was told %q, want %q", where, want)
	}
	p.sh("git rm -q bad.txt; git commit -qm 'fix: gone'")
	p.must(p.push(t.Context(), "work", "main", p.sh("git rev-parse work"), p.Retry))

	// Warp's own guards branches from others, not from warp.
	p.hook(".git/hooks/pre-push", "# warp-drive: written by warp init\nexit 1")
	p.change("more.txt")
	p.must(p.push(t.Context(), "work", "main", p.sh("git rev-parse work"), p.Retry))
	// That of Git LFS uploads files: git runs it.
	p.sh(`mkdir ../tools; printf '#!/bin/sh\necho "$PWD" > ../where\n' > ../tools/git-lfs; chmod 755 ../tools/git-lfs; : > ../where`)
	t.Setenv("PATH", filepath.Join(p.dir, "..", "tools")+":"+os.Getenv("PATH"))
	p.hook(".git/hooks/pre-push.before-warp", `git lfs pre-push "$@"`)
	p.hook(".git/hooks/pre-push", `# warp-drive: written by warp init
exec "$0.before-warp"`)
	p.change("large.txt")
	p.must(p.push(t.Context(), "work", "main", p.sh("git rev-parse work"), p.Retry))
	p.want("where it ran", p.sh("cat ../where"), p.dir)
	// One that does more is not git's to run.
	p.hook(".git/hooks/pre-push.before-warp", "sh lint.sh\ngit lfs pre-push \"$@\"")
	p.change("more-large.txt")
	_ = p.push(t.Context(), "work", "main", p.sh("git rev-parse work"), p.Retry)
	if where := p.sh("cat ../where"); strings.HasPrefix(where, p.dir+"/") || where == p.dir && p.sh("git ls-remote origin main | cut -f1") == p.sh("git rev-parse work") {
		t.Errorf("it ran in %s", where)
	}
}
