package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warp/internal/core/docscheck"
	"warp/internal/engine/docs"
	"warp/internal/testkit/need"
)

// What this project says about itself is true: no finding, so no false alarm.
func TestOwnDocuments(t *testing.T) {
	found, err := docs.Scope{Root: filepath.Join("..", "..", "..")}.Audit()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Errorf("%s:%d:%d: %s %s: %s", f.File, f.Line, f.Column, f.Severity, f.Rule, f.Message)
	}
}

// repository is a real one with these files, committed.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	root := t.TempDir()
	git(t, root, "init", "-q")
	write(t, root, files)
	commit(t, root)
	return root
}

func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func commit(t *testing.T, root string) {
	t.Helper()
	git(t, root, "add", "-A")
	git(t, root, "-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "-q", "-m", "x")
}

func git(t *testing.T, root string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func hasHigh(found []docscheck.Finding) bool {
	return slices.ContainsFunc(found, func(f docscheck.Finding) bool { return f.Severity == docscheck.High })
}

func rules(t *testing.T, root string) (all []string) {
	t.Helper()
	found, err := docs.Scope{Root: root}.Audit()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		all = append(all, f.Rule+" "+f.FixKind)
	}
	return all
}

// Renames over several commits lead to where a file is now, folders included;
// what was deleted is known to have been there.
func TestGitKnowsWhatBecameOfFiles(t *testing.T) {
	root := repository(t, map[string]string{"lib/one.go": "package lib\n\n// one\n", "lib/two.go": "package lib\n\n// two\n", "gone.cfg": "x\n", "README.md": "`lib/one.go` `lib/` `gone.cfg`\n\n[two](lib/two.go)\n"})
	if got := rules(t, root); got != nil {
		t.Fatalf("%v", got)
	}
	git(t, root, "mv", "lib", "pkg")
	commit(t, root)
	git(t, root, "mv", "pkg", "core")
	git(t, root, "rm", "-q", "gone.cfg")
	commit(t, root)
	if got := strings.Join(rules(t, root), ", "); got != "path mechanical, path mechanical, path manual, link mechanical" {
		t.Fatal(got)
	}
	if err := os.Chmod(filepath.Join(root, "README.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	changed, err := docs.Scope{Root: root, CommittedOnly: true}.Fix()
	if err != nil || !slices.Equal(changed, []string{"README.md"}) {
		t.Fatal(changed, err)
	}
	text, _ := os.ReadFile(filepath.Join(root, "README.md"))
	if string(text) != "`core/one.go` `core/` `gone.cfg`\n\n[two](core/two.go)\n" {
		t.Errorf("%s", text)
	}
	if info, _ := os.Stat(filepath.Join(root, "README.md")); info.Mode().Perm() != 0o600 {
		t.Errorf("%v", info.Mode())
	}
	if left := git(t, root, "status", "--porcelain"); left != " M README.md\n" {
		t.Errorf("left behind: %s", left)
	}
	if changed, err := (docs.Scope{Root: root, CommittedOnly: true}).Fix(); err != nil || changed != nil {
		t.Error(changed, err)
	}
}

// Ignored files, deleted ones, links out of the repository and submodules.
func TestOnlyTheWorkTreeIsRead(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(outside, []byte("[x](none.md)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	root := repository(t, map[string]string{".gitignore": "ignored/\n", "a.md": "[b](b.md)\n", "b.md": "x\n", "sub/x": ""})
	if err := os.Symlink(outside, filepath.Join(root, "link.md")); err != nil {
		need.NotRun(t, err.Error())
	}
	write(t, root, map[string]string{"ignored/x.md": "[x](none.md)\n", "new.md": "`sub/none.txt` [link](link.md)\n"})
	if err := os.Remove(filepath.Join(root, "b.md")); err != nil {
		t.Fatal(err)
	}
	found, err := docs.Scope{Root: root}.Audit()
	if err != nil || len(found) != 2 || found[0].File != "a.md" || found[1].File != "new.md" {
		t.Errorf("%+v %v", found, err)
	}
	if hasHigh(found) {
		t.Error("nothing fails")
	}
	if found, err = (docs.Scope{Root: root, Path: "a.md"}).Audit(); err != nil || len(found) != 1 {
		t.Errorf("%+v %v", found, err)
	}
	if _, err = (docs.Scope{Root: root, Path: "none"}).Audit(); err == nil || !strings.Contains(err.Error(), "none") {
		t.Error(err)
	}
}

func TestAFolderWithoutGit(t *testing.T) {
	root := t.TempDir()
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(root))
	write(t, root, map[string]string{"x.md": "Run `make al`.\n", "Makefile": "all:\n"})
	if found, err := (docs.Scope{Root: root}).Audit(); err == nil || !strings.Contains(err.Error(), "not a git repository") {
		t.Errorf("%+v %v", found, err)
	}
	git(t, root, "init", "-q")
	if found, err := (docs.Scope{Root: root}).Audit(); err != nil || len(found) != 1 || !hasHigh(found) {
		t.Errorf("%+v %v", found, err)
	}
	if _, err := (docs.Scope{Root: filepath.Join(root, "none")}).Audit(); err == nil {
		t.Error("there is no such folder")
	}
}

// What someone is in the middle of is theirs: it is neither fixed nor judged.
func TestUnfinishedDocumentsAreLeftAlone(t *testing.T) {
	const wrong = "There are 3 commands in commands/.\n\n```sh\nsh scripts/gone.sh\n```\n"
	root := repository(t, map[string]string{"commands/one.md": "x", "commands/two.md": "x", "scripts/gone.sh": "x", "scripts/here.sh": "x", "done.md": wrong, "edited.md": "x\n", "sub/staged.md": "x\n"})
	write(t, root, map[string]string{"edited.md": wrong, "new.md": wrong, "sub/staged.md": wrong})
	git(t, root, "add", "sub/staged.md")
	changed, err := docs.Scope{Root: root, CommittedOnly: true}.Fix()
	if err != nil || !slices.Equal(changed, []string{"done.md"}) {
		t.Errorf("%q, %v", changed, err)
	}
	git(t, root, "rm", "-q", "scripts/gone.sh")
	commit(t, root)
	write(t, root, map[string]string{"edited.md": wrong + "more\n", "new.md": wrong + "more\n", "sub/staged.md": wrong + "more\n"})
	found, err := docs.Scope{Root: root, CommittedOnly: true}.Audit()
	if err != nil || len(found) != 1 || found[0].File != "done.md" || !hasHigh(found) {
		t.Errorf("%+v, %v", found, err)
	}
}

// What warp init has written is warp's to change: it is neither judged nor fixed. The
// project's own commands are.
func TestWarpsOwnCommandsAreLeftAlone(t *testing.T) {
	const wrong = "See [that](missing.md).\n\nThis project has 12 commands.\n"
	root := repository(t, map[string]string{
		".claude/commands/warp-drive.md": wrong, ".claude/skills/stop-warp-drive/SKILL.md": wrong, "sub/.claude/commands/rdb.md": wrong,
		".claude/commands/mine.md": wrong,
	})
	others := []string{".claude/commands/warp-drive.md", ".claude/commands/rdb.md", ".claude/skills/stop-warp-drive/SKILL.md"}
	for name, audit := range map[string]func() ([]docscheck.Finding, error){
		"the gate": func() ([]docscheck.Finding, error) {
			return docs.Scope{Root: root, Exclude: others, CommittedOnly: true}.Audit()
		},
		"the command": func() ([]docscheck.Finding, error) { return docs.Scope{Root: root, Exclude: others}.Audit() },
	} {
		found, err := audit()
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", name, found, err)
		}
		for _, f := range found {
			if f.File != ".claude/commands/mine.md" {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
	if changed, err := (docs.Scope{Root: root, Exclude: others}).Fix(); err != nil || slices.ContainsFunc(changed, func(f string) bool { return f != ".claude/commands/mine.md" }) {
		t.Errorf("%q, %v", changed, err)
	}
}
