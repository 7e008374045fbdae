//go:build unix

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/drivestate"
	"warp/internal/testkit/claude"
	"warp/internal/testkit/messages"
	"warp/internal/testkit/programs"
	"warp/internal/turnstile"
)

// bin holds warp and warp-hook as people install them.
var bin string

// builtIn names a folder in which they are already.
const builtIn = "WARP_E2E_BIN"

// startedByRoot tells whether this is the ordinary user that a test of root's runs as.
func startedByRoot() bool { return os.Getenv(builtIn) != "" }

func TestMain(m *testing.M) {
	if bin = os.Getenv(builtIn); bin != "" { // an ordinary user has no Go here
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "warp-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := programs.Build(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	bin = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// project is a repository with a remote, set up by warp init.
type project struct {
	t            *testing.T
	root, remote string
	home         string
	drive        *turnstile.Drive
}

func newProject(t *testing.T, level int) *project {
	t.Helper()
	p := &project{t: t, root: real(t), remote: real(t), home: real(t)}
	p.drive = turnstile.Open(p.root, turnstile.System())
	p.sh("git init -q --bare -b main " + p.remote)
	p.sh("git init -q -b main && git config user.name t && git config user.email t@example.invalid && git remote add origin " + p.remote)
	p.write("go.mod", "module x\n")
	p.write(".claude/issues/42.md", "---\ntitle: Mail\nlabels: req\n---\n\n- [ ] AC-01: parse mail\n- [ ] AC-02: keep attachments\n")
	p.sh(fmt.Sprintf("git add go.mod && git commit -q -m 'chore: begin' && git push -q origin main && warp init --level %d && warp issue approve 42 && git add -A && git commit -q -m 'chore: warp' && git push -q origin main", level))
	return p
}

// coding is a project on its feature branch whose drive the next session adopts.
func coding(t *testing.T) *project {
	t.Helper()
	p := newProject(t, 3)
	p.sh(`git switch -q -c feature/issue-42-mail
		warp state init . --issue 42 && warp state transition . prerequisites_ok && warp state transition . work_selected &&
		warp state transition . plan_ready && warp state transition . chunks_defined --data '{"chunks":[["AC-01"],["AC-02"]]}'`)
	return p
}

func real(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func (p *project) try(script string) (string, error) {
	programs.LeaveOutChecks(p.home)
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = p.root
	cmd.Env = append(clean(os.Environ()), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+p.home, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// clean takes away what says that we are inside an agent.
func clean(env []string) []string {
	var out []string
	for _, kv := range env {
		if !strings.HasPrefix(kv, "CLAUDE") && !strings.HasPrefix(kv, "GIT_") && !strings.HasPrefix(kv, "PATH=") && !strings.HasPrefix(kv, "HOME=") {
			out = append(out, kv)
		}
	}
	return out
}

// sh runs commands as a person in a terminal does.
func (p *project) sh(script string) string {
	p.t.Helper()
	out, err := p.try(script)
	if err != nil {
		p.t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return out
}

func (p *project) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) state() *drivestate.State {
	p.t.Helper()
	v, err := p.drive.Read()
	if err != nil {
		p.t.Fatal(err)
	}
	return v.State
}

func (p *project) options(api *messages.Server, prompt string) claude.Options {
	return claude.Options{Dir: p.root, Home: p.home, API: api.URL, Prompt: prompt, PathDirs: []string{bin}, Env: []string{"GIT_CONFIG_NOSYSTEM=1"}}
}

// run lets the real Claude Code work in the project.
func (p *project) run(api *messages.Server, prompt string) claude.Result {
	p.t.Helper()
	r := claude.Run(p.t, p.options(api, prompt))
	if r.Exit != 0 || r.Result == nil || r.Result.IsError {
		p.t.Fatalf("exit %d\n%s\n%s", r.Exit, r.Stdout, r.Stderr)
	}
	return r
}

func bash(command string) messages.Step {
	return messages.Step{Tools: []messages.Tool{{Name: "Bash", Input: map[string]any{"command": command, "description": "a test"}}}}
}

func write(path, text string) messages.Step {
	return messages.Step{Tools: []messages.Tool{{Name: "Write", Input: map[string]any{"file_path": path, "content": text}}}}
}

// last is what became of the tools of a run, by the time it ended.
func last(api *messages.Server) []messages.ToolResult {
	var out []messages.ToolResult
	for _, r := range api.Requests() {
		if got := r.ToolResults(); len(got) > len(out) {
			out = got
		}
	}
	return out
}

func start(t *testing.T, o claude.Options) *claude.Process {
	t.Helper()
	return claude.Start(t, o)
}
