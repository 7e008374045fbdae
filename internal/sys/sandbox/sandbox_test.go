package sandbox_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
	"warp/internal/testkit/need"
)

// The test binary is also the first process in its boxes.
func TestMain(m *testing.M) {
	sandbox.Inside(os.Args[1:])
	os.Exit(m.Run())
}

// scene is a project below a home folder that has secrets.
type scene struct {
	box     sandbox.Box
	home    string
	project string
	profile sandbox.Profile
}

func newScene(t *testing.T, kind sandbox.Kind) *scene {
	t.Helper()
	need.Linux(t)
	if kind == sandbox.Bwrap {
		need.Tool(t, "bwrap")
	}
	self, err := os.Executable()
	must(t, err)
	box, _, err := sandbox.Open(sandbox.Options{Kind: kind, Self: self})
	if err != nil {
		need.NotRun(t, err.Error())
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	s := &scene{box: box, home: home, project: filepath.Join(home, "src", "project")}
	for name, text := range map[string]string{
		".ssh/id_ed25519": "PRIVATE KEY", "src/project/code.txt": "code", "src/project/.git/HEAD": "ref", "src/project/.claude/settings.json": "{}",
		"src/project/.claude/answer/.keep": "", "tools/bin/tool": "#!/bin/sh\necho tool\n", "tools/credentials": "TOKEN", "src/other/secret": "x",
	} {
		file := filepath.Join(home, name)
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(t, os.WriteFile(file, []byte(text), 0o755))
	}
	environ := []string{"HOME=" + home, "PATH=/usr/local/bin:/usr/bin:/bin:" + filepath.Join(home, "tools", "bin"), "TMPDIR=/tmp"}
	s.profile = sandbox.Profile{
		Tree: s.project, Frozen: []string{filepath.Join(s.project, ".git"), filepath.Join(s.project, ".claude")},
		Read: sandbox.Toolchains(environ, home), Write: []string{filepath.Join(s.project, ".claude", "answer")},
		Home: home, Env: environ, Network: sandbox.NoNet,
	}
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s *scene) run(t *testing.T, script string) proc.Result {
	t.Helper()
	c, err := s.box.Wrap(proc.Cmd{Argv: []string{"sh", "-c", script}, Dir: s.project, Timeout: time.Minute}, s.profile)
	must(t, err)
	res, err := proc.Run(t.Context(), c)
	must(t, err)
	return res
}

// attempts are scripts that must fail, by what they try.
var attempts = map[string]string{
	"write .git":              "echo x > .git/HEAD",
	"move .git":               "mv .git .git2",
	"unmount .git":            "umount .git && echo x > .git/HEAD",
	"write .claude":           "echo x > .claude/settings.json",
	"plant an issue":          "mkdir -p .claude/issues && echo x > .claude/issues/50.md",
	"read a key":              "cat $HOME/.ssh/id_ed25519",
	"read another project":    "cat $HOME/src/other/secret",
	"read a token of a tool":  "grep -q TOKEN $HOME/tools/credentials",
	"read the engine's key":   "tr '\\0' '\\n' < /proc/1/environ | grep -q WARP_SECRET",
	"see the engine":          "test -e /proc/" + strconv.Itoa(os.Getpid()) + "/environ && grep -q WARP_SECRET /proc/" + strconv.Itoa(os.Getpid()) + "/environ",
	"end the engine":          "kill -0 " + strconv.Itoa(os.Getpid()),
	"a user namespace":        "unshare -Ur true",
	"write the system":        "echo x > /usr/bin/x || echo x > /etc/x",
	"write beside":            "echo x > $HOME/src/x && cat /nonexistent",
	"list the system's users": "cat /etc/shadow",
}

func TestBwrapHolds(t *testing.T) {
	t.Setenv("WARP_SECRET", "do-not-tell-1234")
	s := newScene(t, sandbox.Bwrap)
	for name, script := range attempts {
		t.Run(name, func(t *testing.T) {
			if res := s.run(t, script); res.Exit == 0 {
				t.Errorf("it succeeded: %s", res.Output)
			}
		})
	}
	for name, text := range map[string]string{".git/HEAD": "ref", ".claude/settings.json": "{}"} {
		if have, err := os.ReadFile(filepath.Join(s.project, name)); err != nil || string(have) != text {
			t.Errorf("%s is %q, %v", name, have, err)
		}
	}
	if names, err := os.ReadDir(filepath.Join(s.home, "src")); err != nil || len(names) != 2 {
		t.Errorf("outside there is %v, %v", names, err)
	}
}

// What an agent needs works.
func TestBwrapLetsWork(t *testing.T) {
	s := newScene(t, sandbox.Bwrap)
	res := s.run(t, `set -e; echo more >> code.txt; tool; cat .git/HEAD; echo; echo done > .claude/answer/result.json
echo note > $HOME/note; cat $HOME/note; echo t > /tmp/t; ls /proc/self/exe >/dev/null; echo x > /dev/null; pwd`)
	if want := "tool\nref\nnote\n" + s.project + "\n"; res.Exit != 0 || string(res.Stdout) != want {
		t.Fatalf("exit %d, %q", res.Exit, res.Output)
	}
	for name, want := range map[string]string{"code.txt": "codemore\n", ".claude/answer/result.json": "done\n"} {
		if have, err := os.ReadFile(filepath.Join(s.project, name)); err != nil || string(have) != want {
			t.Errorf("%s is %q, %v", name, have, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(s.home, "note")); err == nil {
		t.Error("its home folder is the user's")
	}
	if res := s.run(t, "exit 7"); res.Exit != 7 {
		t.Errorf("exit %d", res.Exit)
	}
	if res := s.run(t, "kill -9 $$"); res.Exit != 137 {
		t.Errorf("exit %d", res.Exit)
	}
}

// Nothing outlives a run, however it leaves.
func TestNothingOutlivesABox(t *testing.T) {
	s := newScene(t, sandbox.Bwrap)
	mark := "outlives-" + strconv.Itoa(os.Getpid())
	res := s.run(t, `for how in "setsid" "setsid env -i /usr/bin/setsid" "nohup"; do $how sh -c 'trap "" TERM HUP; exec -a `+mark+` sleep 1000' >/dev/null 2>&1 & done
(setsid bash -c 'exec -a `+mark+` sleep 1000' &) >/dev/null 2>&1; sleep 0.2; echo started`)
	if !strings.Contains(string(res.Stdout), "started") {
		t.Fatalf("%q", res.Output)
	}
	for range 500 {
		if !running(t, mark) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("something is still running")
}

func running(t *testing.T, mark string) bool {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*/cmdline")
	must(t, err)
	return slices.ContainsFunc(dirs, func(file string) bool {
		text, _ := os.ReadFile(file)
		return bytes.HasPrefix(text, []byte(mark))
	})
}

// A program that is asked to end may put things in order first.
func TestABoxIsAskedToEnd(t *testing.T) {
	s := newScene(t, sandbox.Bwrap)
	for name, forwards := range map[string][]sandbox.Forward{"alone": nil, "below the forwarder": {{Port: 3128, Socket: "none"}}} {
		t.Run(name, func(t *testing.T) {
			s.profile.Forwards = forwards
			ctx, cancel := context.WithCancel(t.Context())
			c, err := s.box.Wrap(proc.Cmd{Argv: []string{"sh", "-c", `trap 'echo bye > said; exit 0' TERM; echo ready; while :; do sleep 0.05; done`}, Dir: s.project, Grace: 30 * time.Second}, s.profile)
			must(t, err)
			c.Line = func([]byte) { cancel() }
			if _, err := proc.Run(ctx, c); err == nil {
				t.Fatal("it was not ended")
			}
			if text, err := os.ReadFile(filepath.Join(s.project, "said")); err != nil || string(text) != "bye\n" {
				t.Errorf("%q, %v", text, err)
			}
			must(t, os.Remove(filepath.Join(s.project, "said")))
		})
	}
}

// The network is what the profile's sockets lead to.
func TestBwrapNetwork(t *testing.T) {
	s := newScene(t, sandbox.Bwrap)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	s.profile.Sockets = t.TempDir()
	u, err := net.Listen("unix", filepath.Join(s.profile.Sockets, "p.sock"))
	must(t, err)
	defer u.Close()
	for _, l := range []net.Listener{l, u} {
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go func() { defer c.Close(); text, _ := io.ReadAll(c); _, _ = c.Write(append([]byte("heard "), text...)) }()
			}
		}()
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	must(t, err)
	say := func(port string) proc.Result {
		return s.run(t, `exec bash -c 'exec 3<>/dev/tcp/127.0.0.1/`+port+` || exit 1; printf hello >&3; timeout 5 cat <&3 & sleep 0.3; kill %1 2>/dev/null; exit 0'`)
	}
	s.profile.Forwards = []sandbox.Forward{{Port: 3128, Socket: "p.sock"}}
	if res := s.run(t, `bash -c 'exec 3<>/dev/tcp/127.0.0.1/`+port+`'`); res.Exit == 0 {
		t.Error("the loopback outside can be reached")
	}
	if res := s.run(t, `bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128'`); res.Exit != 0 {
		t.Errorf("the forwarded port cannot be reached: %s", res.Output)
	}
	_ = say
	s.profile.Network = sandbox.OpenNet
	s.profile.Forwards = nil
	if res := s.run(t, `bash -c 'exec 3<>/dev/tcp/127.0.0.1/`+port+`'`); res.Exit != 0 {
		t.Errorf("an open network is closed: %s", res.Output)
	}
}

// A run that uses too much ends with the reason.
func TestLimits(t *testing.T) {
	s := newScene(t, sandbox.Bwrap)
	s.profile.Limits = sandbox.Limits{FileMB: 1}
	if res := s.run(t, "head -c 2000000 /dev/zero > big"); res.Exit == 0 {
		t.Error("a file grew beyond its bound")
	}
	for name, c := range map[string]struct {
		limits sandbox.Limits
		script string
		why    string
	}{
		"processes": {sandbox.Limits{Processes: 20}, "i=0; while [ $i -lt 30 ]; do sleep 100 & i=$((i+1)); done; wait", "processes"},
		"memory":    {sandbox.Limits{MemoryMB: 64}, "x=$(head -c 200000000 /dev/zero | tr '\\0' x); sleep 100", "memory"},
		"disk":      {sandbox.Limits{DiskMB: 8}, "head -c 20000000 /dev/zero > a; sync a; sleep 100", "disk"},
	} {
		t.Run(name, func(t *testing.T) {
			s.profile.Limits = c.limits
			if name == "processes" {
				s.profile.Limits = sandbox.Limits{} // the watcher's own bound, not the kernel's
			}
			wrapped, err := s.box.Wrap(proc.Cmd{Argv: []string{"bash", "-c", c.script}, Dir: s.project, Timeout: time.Minute, Grace: time.Millisecond}, s.profile)
			must(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			why := make(chan string, 1)
			wrapped.Started = func(pid int) { go c.limits.Watch(ctx, pid, func(w string) { why <- w; cancel() }) }
			res, err := proc.Run(ctx, wrapped)
			if err == nil {
				t.Fatalf("it ended by itself: %d %s", res.Exit, res.Output)
			}
			if w := <-why; !strings.Contains(w, c.why) {
				t.Errorf("it says %q", w)
			}
		})
	}
}

// Landlock keeps paths apart, and says that this is not all.
func TestLandlock(t *testing.T) {
	s := newScene(t, sandbox.Landlock)
	if s.box.Holds() != sandbox.Partly {
		t.Errorf("it holds %q", s.box.Holds())
	}
	tmp := t.TempDir()
	s.profile.Home, s.profile.Write = "", append(s.profile.Write, tmp)
	s.profile.Env = append(s.profile.Env, "TMPDIR="+tmp)
	for _, name := range []string{"read a key", "read another project", "write the system", "write beside"} {
		if res := s.run(t, attempts[name]); res.Exit == 0 {
			t.Errorf("%s: it succeeded: %s", name, res.Output)
		}
	}
	if res := s.run(t, "set -e; echo more >> code.txt; tool; echo x > /dev/null; git --version >/dev/null; mktemp >/dev/null"); res.Exit != 0 || string(res.Stdout) != "tool\n" {
		t.Errorf("exit %d, %s", res.Exit, res.Output)
	}
	if res := s.run(t, "kill -0 "+strconv.Itoa(os.Getpid())); res.Exit == 0 {
		t.Log("signals are not confined: the kernel's Landlock is older than version 6")
	}
	if syscall.Getpid() == 0 {
		t.Fatal()
	}
}
