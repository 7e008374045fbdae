//go:build linux

package redteam

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/testkit/programs"
)

// base is the folder of everything here; bin holds the programs.
var base, bin string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "warp-redteam-")
	if err == nil {
		base = dir
		if bin = os.Getenv("REDTEAM_BIN"); bin == "" { // programs to attack in place of this tree's
			bin = filepath.Join(dir, "bin")
			err = programs.Build(bin)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "preparing:", err)
		os.Exit(1)
	}
	code := m.Run()
	_ = exec.Command("chmod", "-R", "u+rwX", dir).Run() // tricks take rights away
	os.RemoveAll(dir)
	os.Exit(code)
}

// patience is when a run that has not ended hangs: its bounds are a minute, on a
// machine that may be busy.
const patience = 10 * time.Minute

// cell is one trick in one column: a project, its person's home folder and remote.
type cell struct {
	t       *testing.T
	trick   trick
	sandbox string
	dir     string
	home    string
	port    int
	heard   func() []string // what the listener was told
	before  map[string]string
	base    string // the person's last commit
	exit    int
	said    string
	late    bool
}

var seeds = struct {
	sync.Mutex
	done map[string]error
}{done: map[string]error{}}

// seed makes the project of a stack once, to be copied.
func seed(name string) (string, error) {
	seeds.Lock()
	defer seeds.Unlock()
	dir := filepath.Join(base, "seed-"+name)
	if err, made := seeds.done[name]; made {
		return dir, err
	}
	s := stacks[name]
	c := &cell{dir: dir, home: filepath.Join(dir, "home")}
	err := os.MkdirAll(c.root(), 0o755)
	if err == nil {
		var out []byte
		if out, err = c.command("bash", "-ec", s.files+"\n"+s.warm+"\n"+personal+"\nwarp config set test_command '"+s.test+"'").CombinedOutput(); err != nil {
			err = fmt.Errorf("the project of %s: %w\n%s", name, err, out)
		}
	}
	seeds.done[name] = err
	return dir, err
}

func newCell(t *testing.T, k trick, sandbox string) *cell {
	t.Helper()
	from, err := seed(k.stack)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(base, "cell-")
	if err != nil {
		t.Fatal(err)
	}
	c := &cell{t: t, trick: k, sandbox: sandbox, dir: dir, home: filepath.Join(dir, "home")}
	t.Cleanup(c.remove)
	if out, err := exec.Command("cp", "-a", from+"/.", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c.listen()
	c.sh(`git remote set-url origin "$PWD/../origin.git" && echo "$cell/outside/other/.git" > .git/worktrees/other/gitdir && echo "gitdir: $project/.git/worktrees/other" > ../outside/other/.git && git status --porcelain`)
	c.sh(`warp config set agent_command '["` + filepath.Join(dir, "agent") + `"]'`)
	c.write("../work.md", strings.Replace(taskDocument, "@TEST@", stacks[k.stack].test, 1))
	c.sh(k.scripts["prepare.sh"] + "\n:")
	if err := os.WriteFile(filepath.Join(dir, "agent"), []byte(k.agent(dir, c.port)), 0o755); err != nil {
		t.Fatal(err)
	}
	c.base = c.sh("git rev-parse main")
	c.before = c.things()
	return c
}

func (c *cell) remove() {
	programs.End(c.started)
	_ = exec.Command("chmod", "-R", "u+rwX", c.dir).Run()
	if err := os.RemoveAll(c.dir); err != nil {
		c.t.Log(err)
	}
}

func (c *cell) root() string { return filepath.Join(c.dir, "project") }

// started recognises what a cell has started, also with an empty environment.
func (c *cell) started(p programs.Process) bool {
	return slices.Contains(p.Env, "REDTEAM="+c.dir) || strings.Contains(p.Line, c.dir+"/") || p.Dir == c.dir || strings.HasPrefix(p.Dir, c.dir+"/")
}

// command is a command in the project's folder, as in a terminal of its person.
func (c *cell) command(argv ...string) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = c.root()
	cmd.Env = append(programs.Environ(c.home, bin), "REDTEAM="+c.dir, "WARP_SANDBOX="+c.sandbox, "GOCACHE="+filepath.Join(base, "go-build"),
		"cell="+c.dir, "project="+c.root(), "user="+c.home, fmt.Sprintf("port=%d", c.port), "base="+c.base)
	for name, value := range c.secrets() {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

// secrets are those of the person. The token differs from cell to cell, since
// processes of others are beside it.
func (c *cell) secrets() map[string]string {
	all := maps.Clone(secrets)
	all["DEPLOY_TOKEN"] += strings.TrimPrefix(filepath.Base(c.dir), "cell-")
	return all
}

// sh runs commands that have to work, and returns what they print.
func (c *cell) sh(script string) string {
	c.t.Helper()
	out, err := c.command("bash", "-ec", script).CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return strings.TrimSpace(string(out))
}

// tell is what commands print, and how they failed; within a bound, since what they
// look at may be a pipe.
func (c *cell) tell(script string) string {
	out, err := c.bounded(20*time.Second, "bash", "-c", script)
	if err != nil {
		return fmt.Sprintf("%s(%v)", out, err)
	}
	return strings.TrimSpace(out)
}

// most is read of what a command prints: tricks make devices and huge files of
// everything.
const most = 32 << 20

func (c *cell) bounded(d time.Duration, argv ...string) (string, error) {
	log, err := os.CreateTemp(c.dir, "out-")
	if err != nil {
		return "", err
	}
	defer os.Remove(log.Name())
	defer log.Close()
	cmd := c.command(argv...)
	cmd.Stdout = log // a pipe would wait for what is left behind
	if err := cmd.Start(); err != nil {
		return "", err
	}
	stop := time.AfterFunc(d, func() { _ = cmd.Process.Kill() })
	err = cmd.Wait()
	stop.Stop()
	out, _ := io.ReadAll(io.NewSectionReader(log, 0, most))
	return string(out), err
}

func (c *cell) write(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.root(), name), []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// run runs warp until it ends, or patience does.
func (c *cell) run() {
	file := filepath.Join(c.dir, "output.log")
	log, err := os.Create(file)
	if err != nil {
		c.t.Fatal(err)
	}
	defer log.Close()
	e := engines[c.trick.engine]
	cmd := c.command(append([]string{filepath.Join(bin, "warp")}, e.args()...)...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = slices.DeleteFunc(cmd.Env, func(v string) bool { return strings.Contains(v, "_VALUE=") }) // these are in files alone
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { c.late = true; programs.End(c.started) })
	_ = cmd.Wait() // how it ended is in its state
	stop()
	out, _ := c.bounded(patience, "head", "-c", "9999999", file)
	c.exit, c.said = cmd.ProcessState.ExitCode(), out
}
