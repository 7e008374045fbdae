//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"warp/internal/testkit/forgetest/hub"
	"warp/internal/testkit/githubmock"
)

// runAction runs the steps of action.yml as GitHub does: expressions become the values of
// variables, each step is a new bash, and what a step adds to PATH holds for the next.
func runAction(t *testing.T, root string, values map[string]string, more ...string) (out, summary string, err error) {
	t.Helper()
	text, err := os.ReadFile("../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Runs struct {
			Steps []struct {
				If, Run string
				Env     map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(text, &action); err != nil {
		t.Fatal(err)
	}
	home, temp := real(t), real(t)
	paths, report := filepath.Join(temp, "path"), filepath.Join(temp, "summary")
	values["runner.temp"] = temp
	for _, s := range action.Runs.Steps {
		if err != nil && s.If != "always()" {
			continue
		}
		env := append([]string{"GITHUB_ACTIONS=true", "CI=true", "GITHUB_PATH=" + paths, "GITHUB_STEP_SUMMARY=" + report}, more...)
		for name, value := range s.Env {
			env = append(env, name+"="+regexp.MustCompile(`\$\{\{ (.*?) \}\}`).ReplaceAllStringFunc(value, func(e string) string {
				v, known := values[strings.TrimSuffix(strings.TrimPrefix(e, "${{ "), " }}")]
				if !known {
					t.Errorf("%s has no value", e)
				}
				return v
			}))
		}
		added, _ := os.ReadFile(paths) // none yet
		env = append(env, "PATH="+strings.TrimSpace(string(added))+":/usr/local/bin:"+os.Getenv("PATH"))
		said, failed := inTerminal(t, root, home, s.Run, env...)
		if out += said; failed != nil {
			err = failed
		}
	}
	written, _ := os.ReadFile(report) // none, where nothing was installed
	return out, string(written), err
}

// values are those of a workflow that an issue's label has started. The installer is one
// that takes the programs of this test.
func values(t *testing.T, issue, level string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	installer := `[ "$WARP_BASE_URL $WARP_VERSION" = "https://host.example/owner/warp/releases v1" ] && mkdir -p "$WARP_PREFIX/bin" && ln -s ` + bin + `/warp* "$WARP_PREFIX/bin"`
	if err := os.WriteFile(filepath.Join(dir, "install.sh"), []byte(installer), 0o644); err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"inputs.issue": issue, "inputs.agent": "demo", "inputs.level": level, "inputs.max-cost": "2", "inputs.version": "v1", "github.token": "",
		"github.server_url": "https://host.example", "github.action_repository || github.repository": "owner/warp", "github.action_path": dir,
	}
}

func TestActionDrivesTheIssueThatWasLabelled(t *testing.T) {
	t.Parallel()
	for level, look := range map[string]string{"2": "test -s .claude/pulls/1.md && git log -1 --format=%s warp/issue-7", "3": "git log -1 --format=%s main"} {
		p := &project{t: t, root: real(t), home: real(t)}
		p.write("test.sh", "for t in tests/*_test.sh; do [ ! -e \"$t\" ] || sh \"$t\" || exit 1; done\n")
		p.write("Makefile", "test:\n\tsh test.sh\n")
		p.write(".claude/issues/7.md", "---\ntitle: \"Names $(touch pwned) `touch pwned`\"\nlabels: req\n---\n\n- [ ] AC-01: a name\n")
		p.sh("git init -q -b main && git add test.sh Makefile && git -c user.name=t -c user.email=t@example.invalid commit -q -m 'chore: begin' && warp issue approve 7")
		out, summary, err := runAction(t, p.root, values(t, "7", level))
		if err != nil {
			t.Errorf("level %s: %v\n%s", level, err, out)
		}
		if log := p.sh(look); !strings.HasPrefix(log, "feat: Names $(touch pwned)") {
			t.Errorf("level %s: %s\n%s", level, log, out)
		}
		if !strings.Contains(summary, "Names $(touch pwned)") {
			t.Errorf("level %s: the summary is %q", level, summary)
		}
		if _, err := os.Stat(filepath.Join(p.root, "pwned")); err == nil {
			t.Error("a title was run")
		}
	}
}

// A checkout of a project on GitHub: what ada has approved by its label becomes a pull
// request there, and the issue says so.
func TestActionOpensAPullRequestOnGitHub(t *testing.T) {
	t.Parallel()
	dir := real(t)
	p := &project{t: t, root: filepath.Join(dir, "project"), home: real(t)}
	p.write("../seed/Makefile", "test:\n\ttrue\n")
	p.write("../tools/ssh", "#!/bin/sh\ncd '"+dir+"' && eval \"$2\"\n")
	h := hub.New()
	h.Tip = func(branch string) string {
		tip, _ := p.try("git -C ../octo/widgets.git rev-parse -q --verify refs/heads/" + branch)
		return tip
	}
	h.Lock()
	h.Add(hub.Item{Title: "Names", Body: "- [ ] AC-01: a name", Author: "ada", Labels: []string{"req", "approved"}})
	h.Unlock()
	if err := os.MkdirAll(p.root, 0o755); err != nil {
		t.Fatal(err)
	}
	p.sh(`chmod 755 ../tools/ssh; mkdir ../octo; git init -q --bare -b main ../octo/widgets.git
cd ../seed; git init -q -b main; git add -A; git -c user.name=t -c user.email=t@example.invalid commit -q -m 'chore: begin'; git push -q ../octo/widgets.git main
cd ../project; git -c core.sshCommand=$PWD/../tools/ssh -c ssh.variant=simple clone -q git@github.com:octo/widgets.git .
git config core.sshCommand $PWD/../tools/ssh; git config ssh.variant simple`)
	v := values(t, "1", "2")
	v["github.token"] = hub.Token
	out, summary, err := runAction(t, p.root, v, "WARP_GITHUB_API="+githubmock.Start(t, h).URL)
	if err != nil || !strings.Contains(summary, "Names") {
		t.Fatalf("%v\n%s\n%s", err, out, summary)
	}
	h.Lock()
	defer h.Unlock()
	opened := 0
	for _, i := range h.Items {
		if i.Pull != nil && i.Pull.Head == "warp/issue-1" && i.Pull.Base == "main" {
			opened++
		}
	}
	if log := p.sh("git -C ../octo/widgets.git log -1 --format=%s warp/issue-1"); opened != 1 || log != "feat: Names (#1)" || strings.Contains(out, hub.Token) {
		t.Errorf("%d pull requests, the branch has %q\n%s", opened, log, out)
	}
}

func TestActionRefusesWhatIsNoIssue(t *testing.T) {
	t.Parallel()
	for _, issue := range []string{"", "7; touch pwned", "--all"} {
		root := real(t)
		out, _, err := runAction(t, root, values(t, issue, "3"))
		if entries, _ := os.ReadDir(root); err == nil || !strings.Contains(out, "::error::There is no issue to drive") || len(entries) > 1 {
			t.Errorf("%q: %v %v\n%s", issue, err, entries, out)
		}
	}
}
