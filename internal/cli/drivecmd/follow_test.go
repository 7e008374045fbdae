package drivecmd_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"warp/internal/adapter/agent/demo"
	"warp/internal/cli"
	"warp/internal/cli/netcommands"
	"warp/internal/testkit/forgetest/hub"
	"warp/internal/testkit/githubmock"
	"warp/internal/testkit/standin"
)

func TestMain(m *testing.M) {
	demo.More = standin.Answer
	testscript.Main(m, map[string]func(){
		"warp":     func() { os.Exit(cli.Main(os.Args[1:])) },
		"warp-net": func() { os.Exit(cli.Main(os.Args[1:], netcommands.Commands...)) },
	})
}

// world is a clone of a project on GitHub.
type world struct {
	*testing.T
	dir string
	hub *hub.Hub
	env []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, dir: dir, hub: hub.New()}
	w.hub.Checks = map[string][]hub.Check{}
	w.hub.Tip = func(branch string) string {
		out, _ := exec.Command("git", "-C", filepath.Join(dir, "octo", "widgets.git"), "rev-parse", "-q", "--verify", "refs/heads/"+branch).Output()
		return strings.TrimSpace(string(out))
	}
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "CLAUDE") && !strings.HasPrefix(name, "GIT") && !strings.HasPrefix(name, "GH_") && !strings.HasPrefix(name, "WARP_") && name != "PATH" && name != "HOME" {
			w.env = append(w.env, kv)
		}
	}
	w.env = append(w.env, "PATH="+dir+"/tools:"+os.Getenv("PATH"), "HOME="+dir+"/home", "GIT_CONFIG_NOSYSTEM=1", "WARP_SANDBOX=off", "GORACE=atexit_sleep_ms=0",
		"GITHUB_TOKEN="+hub.Token, "WARP_GITHUB_API="+githubmock.Start(t, w.hub).URL)
	for name, text := range map[string]string{
		"tools/ssh":       "#!/bin/sh\ncd '" + dir + "' && eval \"$2\"\n",
		"home/.gitconfig": "[user]\n\tname = u\n\temail = u@example.invalid\n[init]\n\tdefaultBranch = main\n[ssh]\n\tvariant = simple\n[core]\n\tsshCommand = ssh\n",
		"seed/.gitignore": ".claude/\n",
		"project/.keep":   "",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	w.sh(`rm .keep; mkdir ../octo; git init -q --bare -b main ../octo/widgets.git; cd ../seed; git init -q; git add -A; git commit -q -m 'chore: begin'; git push -q ../octo/widgets.git main
cd ../project; git clone -q git@github.com:octo/widgets.git .; warp config set test_command true; warp config set agent demo; warp config set level 2`)
	return w
}

func (w *world) run(script string) (out string, exit int) {
	w.Helper()
	cmd := exec.CommandContext(w.Context(), "sh", "-ec", script)
	cmd.Dir, cmd.Env = filepath.Join(w.dir, "project"), w.env
	text, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		w.Fatal(err)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

func (w *world) sh(script string) string {
	w.Helper()
	out, exit := w.run(script)
	if exit != 0 {
		w.Fatalf("%s: exit %d\n%s", script, exit, out)
	}
	return strings.TrimSpace(out)
}

// says runs a command that wants to succeed, and wants lines in what it prints.
func (w *world) says(command string, lines ...string) string {
	w.Helper()
	out := w.sh(command)
	for _, line := range lines {
		if not, is := strings.CutPrefix(line, "!"); is == strings.Contains(out, not) {
			w.Errorf("%s: want %q in\n%s", command, line, out)
		}
	}
	return out
}

// A night at level 2 opens pull requests; the next follows the one whose check is red, and
// deletes the branch of the one that was merged.
func TestANightFollowsPullRequests(t *testing.T) {
	w := newWorld(t)
	w.hub.Lock()
	w.hub.Add(hub.Item{Title: "One", Body: "- [ ] AC-01: one", Author: "ada", Labels: []string{"req", "approved"}})
	w.hub.Add(hub.Item{Title: "Two", Body: "- [ ] AC-02: two", Author: "ada", Labels: []string{"req", "approved"}})
	w.hub.Unlock()
	w.says("warp drive", "2 in pull requests")
	w.says("warp drive --dry-run || test $? = 13", "No approved issue can be worked on", "!follows")

	w.hub.Lock()
	pulls := map[string]*hub.Item{}
	for _, i := range w.hub.Items {
		if i.Pull != nil {
			pulls[i.Pull.Head] = i
		}
	}
	one, two := pulls["feature/issue-1-one"], pulls["feature/issue-2-two"]
	red := w.hub.Head(one.Pull)
	w.hub.Checks[red] = []hub.Check{{ID: 7, Name: "build", Conclusion: "failure", Log: "broken"}}
	w.hub.Judge(two, hub.Review{Author: "eve", State: "CHANGES_REQUESTED", Body: "no"})
	w.hub.Unlock()
	w.says("warp drive --dry-run", "follows pull request #", "the check build failed", "!#2  Two")
	w.says("warp drive", "following pull request #", "a fix was pushed, since the check build failed", "1 in a pull request")
	w.hub.Lock()
	if now := w.hub.Head(one.Pull); now == red {
		t.Error("nothing was pushed to the pull request")
	}
	w.hub.Unlock()
	if trees := w.sh("git worktree list"); strings.Count(trees, "\n") != 0 {
		t.Errorf("work trees are left: %s", trees)
	}
	w.says("warp drive --worktree", "!following", "!deleted")

	// A squash on the forge: main has none of its commits.
	w.hub.Lock()
	w.hub.Head(one.Pull)
	one.Pull.Merged, one.Open = true, false
	w.hub.Item(1).Open = false
	w.hub.Unlock()
	w.says("warp drive --worktree", "deleted the merged branch feature/issue-1-one on origin and here")
	if refs := w.sh("git for-each-ref --format='%(refname)' refs/heads; git ls-remote --heads origin | cut -f2"); refs != "refs/heads/feature/issue-2-two\nrefs/heads/main\nrefs/heads/feature/issue-2-two\nrefs/heads/main" {
		t.Errorf("the branches are\n%s", refs)
	}
}

// A night with an end waits for the checks of what it has opened; who interrupts it gets the
// account all the same.
func TestANightWaitsForChecks(t *testing.T) {
	w := newWorld(t)
	w.hub.Lock()
	w.hub.Add(hub.Item{Title: "One", Body: "- [ ] AC-01: one", Author: "ada", Labels: []string{"req", "approved"}})
	w.hub.Unlock()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "exec warp drive 1 --worktree --until "+time.Now().Add(12*time.Hour).Format("15:04"))
	cmd.Dir, cmd.Env = filepath.Join(w.dir, "project"), w.env
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	waited := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		all.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "have not begun") && !waited {
			waited = true
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err != nil || !waited || !strings.Contains(all.String(), "1 in a pull request") {
		t.Errorf("%v\n%s", err, all.String())
	}
	if trees := w.sh("git worktree list"); strings.Count(trees, "\n") != 0 {
		t.Errorf("work trees are left: %s", trees)
	}
}

// Nights do not follow the pull requests of workflows; warp workflow status says how they are.
func TestThePullRequestOfAWorkflow(t *testing.T) {
	w := newWorld(t)
	w.says(`printf '# Say hello\n\n## Supervisor\n- enabled: no\n\n## Outer loop\n- enabled: no\n\n### Phase 1: P\n#### Task 1.1: T\n- [ ] It is there\n' > ../hello.md
warp workflow run ../hello.md --yes`, "pull request #", ": open", "do: review and merge it")
	w.hub.Lock()
	tip := w.hub.Tip("workflow/say-hello")
	w.hub.Checks[tip] = []hub.Check{{ID: 5, Name: "build", Log: "-"}, {ID: 6, Name: "lint", Conclusion: "success", Log: "-"}}
	w.hub.Unlock()
	w.says("warp workflow status", ": open, 1 check under way", "!failed")
	w.hub.Lock()
	w.hub.Checks[tip][0].Conclusion = "failure"
	w.hub.Unlock()
	w.says("warp workflow status", ": open, the check build failed", "do: git switch workflow/say-hello, fix it there and push: warp follows pull requests of issues, not of workflows")
	w.hub.Lock()
	for _, i := range w.hub.Items {
		if i.Pull != nil {
			i.Pull.Merged, i.Open = true, false
		}
	}
	w.hub.Unlock()
	w.says("warp workflow status", ": merged", "!do:")
}
