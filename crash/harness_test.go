//go:build unix

package crash

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/testkit/forgetest/hub"
	"warp/internal/testkit/githubmock"
	"warp/internal/testkit/programs"
)

// bin holds warp as people install it.
var bin string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "warp-crash-")
	if err != nil {
		panic(err)
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

// complete tells whether every point is to be tried.
func complete() bool { return os.Getenv("WARP_SWEEP") != "" }

// deaths are what projects go through: each of all points is the death of one project. The
// sample has one project that dies after each of its points, one after the other; points are
// counted from when it was resumed.
func deaths(t *testing.T, all, sample []string) (list [][]string) {
	t.Helper()
	for _, point := range sample {
		if !slices.Contains(all, point) {
			t.Errorf("the point %s is not passed; these are: %s", point, strings.Join(all, " "))
		}
	}
	if !complete() {
		return [][]string{sample}
	}
	for _, point := range all {
		list = append(list, []string{point})
	}
	return list
}

// project is a repository with a remote and a requirement, in a folder of its
// own: root is the work tree, beside it are the remote and a home.
type project struct {
	t         *testing.T
	dir, root string
	scene     scene
	hub       *hub.Hub
	env       []string
}

// fresh is a copy of a scene's template.
func (s scene) fresh(t *testing.T, template string) *project {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if template != "" {
		if err := programs.CopyTree(dir, template); err != nil {
			t.Fatal(err)
		}
	}
	p := &project{t: t, dir: dir, root: filepath.Join(dir, "project"), scene: s}
	programs.LeaveOutChecks(filepath.Join(dir, "home"))
	p.env = append(clean(os.Environ()), "PATH="+dir+"/tools:"+bin+":"+os.Getenv("PATH"), "HOME="+dir+"/home", "GIT_CONFIG_NOSYSTEM=1", "WARP_SANDBOX=off",
		p.mark(), "WARP_DEMO="+s.demo)
	if s.apart && template != "" {
		p.sh("git remote set-url origin " + dir + "/octo/widgets.git") // git takes a relative one from where it is run
	}
	if s.github {
		p.hub = hub.New()
		p.hub.Lock()
		p.hub.Add(hub.Item{Title: title, Body: s.body(0), Author: "ada", Labels: []string{"req", "approved"}})
		p.hub.Unlock()
		p.env = append(p.env, "GITHUB_TOKEN="+hub.Token, "WARP_GITHUB_API="+githubmock.Start(t, p.hub).URL)
	}
	return p
}

// mark is in the environment of everything that runs because of the project.
func (p *project) mark() string { return "WARP_TEST_CRASH=" + p.dir }

// clean takes away what says that we are inside an agent, or in a repository.
func clean(env []string) (out []string) {
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		switch {
		case strings.HasPrefix(name, "CLAUDE"), strings.HasPrefix(name, "GIT"), strings.HasPrefix(name, "GH_"), strings.HasPrefix(name, "WARP_"), name == "PATH", name == "HOME":
		default:
			out = append(out, kv)
		}
	}
	return out
}

// die runs a command that is killed after some points, one after the other, and returns how
// to go on after the last of them: in two ways, by turns.
func (p *project) die(points, argv, one, other []string) (how []string, killed string) {
	p.t.Helper()
	for _, point := range points {
		said, exit := p.run([]string{"WARP_CRASH_AT=" + point}, argv...)
		killed += said
		if exit != -1 {
			p.t.Fatalf("it was not killed after %s, but ended with %d\n%s", point, exit, killed)
		}
		argv, one, other = one, other, one
	}
	return argv, killed
}

// most is how long one command may take; nothing here comes near it.
const most = 6 * time.Minute

// run runs a command in the project. The exit code is -1 when it was killed.
func (p *project) run(env []string, argv ...string) (out string, exit int) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	path, err := p.find(argv[0])
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, path, argv[1:]...)
	cmd.Dir, cmd.Env = p.root, append(p.env[:len(p.env):len(p.env)], env...)
	log, err := os.Create(filepath.Join(p.dir, "output.log")) // a pipe would wait for orphans
	if err != nil {
		p.t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	if ctx.Err() != nil {
		p.t.Fatalf("%s did not end", strings.Join(argv, " "))
	}
	text, err := os.ReadFile(log.Name())
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

func (p *project) find(program string) (string, error) {
	if program == "warp" {
		return filepath.Join(bin, program), nil
	}
	return exec.LookPath(program)
}

// sh runs a script and wants it to succeed.
func (p *project) sh(script string) string {
	p.t.Helper()
	out, exit := p.run(nil, "sh", "-ec", script)
	if exit != 0 {
		p.t.Fatalf("%s: exit %d\n%s", script, exit, out)
	}
	return strings.TrimSpace(out)
}

func (p *project) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		p.t.Fatal(err)
	}
}
