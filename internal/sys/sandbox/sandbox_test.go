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
	"testing"
	"time"

	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
	"warp/internal/testkit/need"
)

// The test binary is also the first process in its boxes.
func TestMain(m *testing.M) {
	sandbox.Inside(os.Args[1:])
	if os.Getenv(engine) != "" {
		playEngine()
		return
	}
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

// leavers are ways to leave a run, each of which starts a program that does not end.
var leavers = map[string]string{
	"setsid":              "setsid %s &",
	"nohup":               "nohup %s &",
	"a double fork":       "( (setsid %s &) & )",
	"no environment":      "env -i PATH=$PATH setsid %s &",
	"a terminal's server": "env -u TMUX tmux -S $TMPDIR/sock -f /dev/null new-session -d %s",
	"deaf to signals":     "( trap '' TERM HUP INT; setsid %s & )",
}

// Nothing outlives a run, however it leaves. Landlock has no namespace for processes;
// there a supervisor is their parent.
func TestNothingOutlivesABox(t *testing.T) {
	need.Tool(t, "tmux")
	for _, kind := range []sandbox.Kind{sandbox.Bwrap, sandbox.Landlock} {
		t.Run(string(kind), func(t *testing.T) {
			s := newScene(t, kind)
			mark := "outlives-" + string(kind) + "-" + strconv.Itoa(os.Getpid())
			must(t, os.WriteFile(filepath.Join(s.project, "stay"), []byte("#!/bin/bash\ntrap '' TERM HUP\ntouch "+s.project+"/ready.$$\nexec -a "+mark+" sleep 1000\n"), 0o755))
			if kind == sandbox.Landlock {
				tmp, err := os.MkdirTemp("", "w") // a socket's name may not be long
				must(t, err)
				t.Cleanup(func() { _ = os.RemoveAll(tmp) })
				s.profile.Home, s.profile.Write, s.profile.Env = "", append(s.profile.Write, tmp), append(s.profile.Env, "TMPDIR="+tmp)
			}
			script := "exec >/dev/null 2>&1 </dev/null\n"
			for _, how := range leavers {
				script += strings.ReplaceAll(how, "%s", s.project+"/stay") + "\n"
			}
			script += "while [ $(ls ready.* | wc -l) -lt " + strconv.Itoa(len(leavers)) + " ]; do sleep 0.01; done; exit 5"
			if res := s.run(t, script); res.Exit != 5 {
				t.Fatalf("exit %d: %q", res.Exit, res.Output)
			}
			await(t, "everything to end", func() bool { return !running(t, mark) })
		})
	}
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

// So is what a program has started, once, unless it left the group.
func TestWhatAProgramStartedIsAskedToEnd(t *testing.T) {
	for _, kind := range []sandbox.Kind{sandbox.Bwrap, sandbox.Landlock} {
		t.Run(string(kind), func(t *testing.T) {
			s := newScene(t, kind)
			ctx, cancel := context.WithCancel(t.Context())
			must(t, os.WriteFile(filepath.Join(s.project, "stay.sh"), []byte(`trap 'echo asked >> $1' TERM; touch ready.$1; until test -s $1; do sleep 0.05; done; sleep 0.2`), 0o644))
			script := `trap 'wait $!; exit 0' TERM; setsid sh stay.sh left & sh stay.sh stayed & until test -e ready.left -a -e ready.stayed; do sleep 0.05; done; echo ready; wait`
			c, err := s.box.Wrap(proc.Cmd{Argv: []string{"bash", "-c", script}, Dir: s.project, Grace: 30 * time.Second}, s.profile)
			must(t, err)
			c.Line = func([]byte) { cancel() }
			if _, err := proc.Run(ctx, c); err == nil {
				t.Fatal("it was not ended")
			}
			if text, err := os.ReadFile(filepath.Join(s.project, "stayed")); err != nil || string(text) != "asked\n" {
				t.Errorf("%q, %v", text, err)
			}
			if text, err := os.ReadFile(filepath.Join(s.project, "left")); err == nil {
				t.Errorf("what left was asked: %q", text)
			}
		})
	}
}

// A program that is asked to end may put things in order first.
func TestABoxIsAskedToEnd(t *testing.T) {
	for name, c := range map[string]struct {
		kind     sandbox.Kind
		forwards []sandbox.Forward
	}{"alone": {sandbox.Bwrap, nil}, "below the forwarder": {sandbox.Bwrap, []sandbox.Forward{{Port: 3128, Socket: "none"}}}, "under rules": {sandbox.Landlock, nil}} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, c.kind)
			s.profile.Forwards = c.forwards
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
	s.profile.Forwards = []sandbox.Forward{{Port: 3128, Socket: "p.sock"}}
	if res := s.run(t, `bash -c 'exec 3<>/dev/tcp/127.0.0.1/`+port+`'`); res.Exit == 0 {
		t.Error("the loopback outside can be reached")
	}
	if res := s.run(t, `bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128'`); res.Exit != 0 {
		t.Errorf("the forwarded port cannot be reached: %s", res.Output)
	}
	s.profile.Network = sandbox.OpenNet
	s.profile.Forwards = nil
	if res := s.run(t, `bash -c 'exec 3<>/dev/tcp/127.0.0.1/`+port+`'`); res.Exit != 0 {
		t.Errorf("an open network is closed: %s", res.Output)
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
}
