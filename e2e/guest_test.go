//go:build unix

package e2e

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/testkit/need"
)

// manager is a tool that looks after git's hooks: install is what people run in the
// repository, config what they have in it.
type manager struct {
	name    string
	install func(t *testing.T) string
	config  map[string]string
}

// Each has a hook that says by which name it was called.
var hookManagers = []manager{
	{name: "husky", install: func(t *testing.T) string { return need.Package(t, "husky", "9.1.7") },
		config: map[string]string{".husky/pre-push": "echo \"asked $(basename \"$0\") $1\" >> log; cat >> log\n"}},
	{name: "lefthook", install: func(t *testing.T) string { return need.Package(t, "lefthook", "2.2.2") + " install --force" },
		config: map[string]string{"lefthook.yml": "output: [failure]\npre-push:\n  commands:\n    say:\n      use_stdin: true\n      run: echo asked pre-push {1} >> log; cat >> log\n"}},
	{name: "pre-commit", install: func(t *testing.T) string {
		need.Tool(t, "pre-commit")
		return "pre-commit install -t pre-push >&2"
	}, config: map[string]string{".pre-commit-config.yaml": "repos:\n- repo: local\n  hooks:\n  - id: say\n    name: say\n    language: system\n" +
		"    entry: sh -c 'echo asked pre-push $PRE_COMMIT_REMOTE_NAME >> log; echo refs/heads/main >> log'\n    always_run: true\n    pass_filenames: false\n    stages: [push]\n"}},
}

// sampleManagers are two that keep their hooks in different places; WARP_MATRIX has all.
func sampleManagers() []manager {
	if wholeMatrix() {
		return hookManagers
	}
	return hookManagers[:2]
}

// guest is a repository that a manager of hooks looks after.
func guest(t *testing.T, m manager) *project {
	t.Helper()
	p := &project{t: t, root: real(t), remote: real(t), home: real(t)}
	p.sh("git init -q --bare -b main " + p.remote)
	p.sh("git init -q -b main && git config user.name t && git config user.email t@example.invalid && git remote add origin " + p.remote)
	p.write(".gitignore", "log\n")
	for name, text := range m.config {
		p.write(name, text)
	}
	p.sh("git add . && git commit -q -m 'chore: begin'")
	return p
}

// pushed pushes something new, and wants the manager's hook to be asked once, by its
// own name and with git's words.
func (p *project) pushed(when string) {
	p.t.Helper()
	_ = os.Remove(filepath.Join(p.root, "log"))
	p.sh("git commit -q --allow-empty -m 'chore: more' && git push -q origin main")
	log := p.sh("cat log || true")
	if !strings.HasPrefix(log, "asked pre-push origin\n") || !strings.Contains(log, "refs/heads/main") || strings.Count(log, "asked") != 1 {
		p.t.Errorf("%s: the manager's hook was asked:\n%s", when, log)
	}
}

// guarded wants warp's hooks to be asked, by what they refuse while a drive is active.
func (p *project) guarded(when string, want bool) {
	p.t.Helper()
	p.sh("warp state init . --issue 1 --level 3 --pid $$")
	out, err := p.try("git commit -q --allow-empty -m 'feat: no'")
	if refused := err != nil && strings.Contains(out, "guarded by an active drive"); refused != want {
		p.t.Errorf("%s: a commit while a drive is active: %v\n%s", when, err, out)
	}
	if out, err = p.try("git push origin HEAD:main 2>&1"); want && (err == nil || !strings.Contains(out, "guarded by an active drive")) {
		p.t.Errorf("%s: a push while a drive is active: %v\n%s", when, err, out)
	}
	p.sh("warp state reset . && rm -rf .claude/state .claude/.warp-drive-*.json .claude/.warp-drive.lock; rmdir .claude 2>/dev/null || true")
}

// files are all files but git's own, with modes, links and contents.
func (p *project) files() map[string]string {
	p.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(p.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(p.root, path)
		if err != nil || strings.HasPrefix(name, ".git/") && !strings.HasPrefix(name, ".git/hooks/") && name != ".git/config" || name == "log" {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		all[name] = info.Mode().String() + "\n" + string(text)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return all
}

func (p *project) sameFiles(when string, want map[string]string) {
	p.t.Helper()
	have := p.files()
	for name := range maps.Keys(want) {
		if have[name] != want[name] {
			p.t.Errorf("%s: %s was\n%s\nand is\n%s", when, name, want[name], have[name])
		}
	}
	for name := range have {
		if _, there := want[name]; !there {
			p.t.Errorf("%s: %s was left behind", when, name)
		}
	}
}

// The manager was there first: its hooks are asked as before, also after it has written
// them anew, and warp leaves everything as it would be without it.
func TestManagersOfHooksAreAskedAsBefore(t *testing.T) {
	for _, m := range hookManagers {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			install := m.install(t)
			p := guest(t, m)
			p.sh(install)
			p.pushed("before init")
			before := p.files()

			p.sh("warp init")
			p.pushed("after init")
			p.sh("warp init --remove")
			p.sameFiles("after --remove", before)
			p.pushed("after --remove")

			p.sh("warp init")
			p.sh(install)
			out, err := p.try("warp doctor hooks")
			if m.name == "husky" { // warp's is a hook that husky calls
				if err != nil || !strings.Contains(out, "in place") {
					t.Errorf("kept, and doctor says: %v\n%s", err, out)
				}
			} else if err != nil || !strings.Contains(out, "pre-push") || !strings.Contains(out, "another tool") || !strings.Contains(out, "warp init") {
				t.Errorf("overwritten, and doctor says: %v\n%s", err, out)
			}
			p.pushed("overwritten")
			p.sh("warp init")
			if out, err := p.try("warp doctor hooks"); err != nil {
				t.Errorf("repaired, and doctor says: %v\n%s", err, out)
			}
			p.pushed("repaired")
			p.sh("warp init --remove")
			p.sameFiles("after --remove of what was repaired", before)
			p.pushed("after --remove of what was repaired")
		})
	}
}

// Warp was there first, before it a hook of the user's own: what is left is what the
// manager alone would have made of it.
func TestManagersOfHooksThatComeLater(t *testing.T) {
	const own = "#!/bin/sh\necho \"own $(basename \"$0\")\" >> own-log\n"
	for _, m := range sampleManagers() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			install := m.install(t)
			alone := guest(t, m)
			p := guest(t, m)
			for _, p := range []*project{alone, p} {
				p.write(".git/hooks/pre-push", own)
				p.sh("chmod 755 .git/hooks/pre-push; echo own-log >> .git/info/exclude")
			}
			alone.sh(install)
			alone.pushed("alone")
			want, ownRan := alone.files(), alone.sh("cat own-log || true")
			delete(want, "own-log")

			p.sh("warp init")
			p.sh(install)
			if out, err := p.try("warp doctor hooks"); err != nil || !strings.Contains(out, "warp init") {
				t.Errorf("overwritten, and doctor says: %v\n%s", err, out)
			}
			p.sh("warp init")
			if out, err := p.try("warp doctor hooks"); err != nil {
				t.Errorf("repaired, and doctor says: %v\n%s", err, out)
			}
			p.pushed("repaired")
			if ran := p.sh("cat own-log || true"); ran != ownRan {
				t.Errorf("the user's own hook ran as %q, and as %q without warp", ran, ownRan)
			}
			p.sh("warp init --remove; rm -f own-log")
			for name, text := range want { // each has its own remote and folder
				want[name] = strings.ReplaceAll(text, alone.remote, p.remote)
			}
			p.sameFiles("after --remove", want)
		})
	}
}

// Both are asked: a drive's branches are guarded beside a manager's hooks.
func TestADriveIsGuardedBesideManagersOfHooks(t *testing.T) {
	for _, m := range sampleManagers() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			p := guest(t, m)
			p.sh(m.install(t))
			p.sh("warp init && git add -A && git commit -q -m 'chore: warp'")
			p.guarded("with warp", true)
			p.sh("warp init --remove --force")
			p.guarded("without", false)
		})
	}
}
