package person

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/sys/proc"
)

// sleeper is a process that another one would descend from.
func sleeper(t *testing.T, env ...string) int {
	t.Helper()
	c := exec.Command("sleep", "1000")
	c.Env = append(os.Environ(), env...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	return c.Process.Pid
}

func TestWhoAsks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	token, err := Token(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	marked, plain := sleeper(t, "WARP_RUN_x=1"), sleeper(t)
	for _, c := range []struct {
		name    string
		pid     int
		env     string
		running []Running
		want    Kind
	}{
		{"nothing runs", plain, "", nil, Person},
		{"marked", marked, "", nil, Agent},
		{"marked, with the token", marked, "WARP_TOKEN=" + token, nil, Agent},
		{"a role", plain, "WARP_ROLE=code", nil, Agent},
		{"a role, with the token", plain, "WARP_ROLE=code WARP_TOKEN=" + token, nil, Agent},
		{"a session", plain, "CLAUDECODE=1", nil, Session},
		{"a session, with the token", plain, "CLAUDECODE=1 WARP_TOKEN=" + token, nil, Person},
		{"below an agent", plain, "", []Running{{PID: os.Getpid()}}, Agent},
		{"below an agent, with the token", plain, "WARP_TOKEN=" + token, []Running{{PID: os.Getpid()}}, Agent},
		{"below a session", plain, "", []Running{{PID: os.Getpid(), Session: true}}, Session},
		{"an agent itself", plain, "WARP_TOKEN=" + token, []Running{{PID: plain}}, Person},
		{"beside an agent, without a terminal", plain, "", []Running{{PID: marked}}, Unknown},
		{"beside an agent, with the token", plain, "WARP_TOKEN=" + token, []Running{{PID: marked}}, Person},
		{"beside an agent, with another token", plain, "WARP_TOKEN=" + token + "0", []Running{{PID: marked}}, Unknown},
	} {
		getenv := func(name string) string {
			for _, v := range strings.Fields(c.env) {
				if n, value, _ := strings.Cut(v, "="); n == name {
					return value
				}
			}
			return ""
		}
		line := proc.Lineage(c.pid)
		if c.want == Unknown && len(line) > 0 && line[0].Terminal != 0 {
			continue // the tests were started from one
		}
		if have, why := (Asker{PID: c.pid, Getenv: getenv, Folder: dir, Running: c.running}).Who(); have != c.want || (why == "") != (have == Person) {
			t.Errorf("%s: %d (%s), want %d", c.name, have, why, c.want)
		}
	}
}

// Of processes, a terminal counts when it is a person's: by what it descends from, never
// by what took it in.
func TestATerminalOfAPersons(t *testing.T) {
	agent := sleeper(t)
	at, _ := proc.Look(agent)
	a := Asker{PID: agent, Running: []Running{{PID: agent}}} // in the agent's own control group
	shell := proc.Process{PID: 90001, Terminal: 5, Start: at.Start + 10}
	for name, c := range map[string]struct {
		line []proc.Process
		want bool
	}{
		"no terminal":          {[]proc.Process{{PID: 90000}, {PID: 90002, Start: at.Start - 1, Name: "bash"}}, false},
		"an older shell":       {[]proc.Process{shell, {PID: 90002, Start: at.Start - 1, Name: "bash"}}, true},
		"init":                 {[]proc.Process{shell, {PID: 1, Start: 0, Name: "anything"}}, false},
		"the user's init":      {[]proc.Process{shell, {PID: 700, Start: 1, Name: "systemd"}}, false},
		"younger than agents":  {[]proc.Process{shell, {PID: 90003, Start: at.Start + 5, Name: "script"}}, false},
		"nothing that is told": {nil, false},
	} {
		if have := a.ownTerminal(c.line); have != c.want {
			t.Errorf("%s: %v", name, have)
		}
	}
}

func TestTheTokenIsItsOwnersAlone(t *testing.T) {
	dir := t.TempDir()
	one, err := Token(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Token(dir, false); err != nil || again != one {
		t.Errorf("%q, %v", again, err)
	}
	two, err := Token(dir, true)
	if err != nil || two == one || len(two) < 40 {
		t.Errorf("%q, %v", two, err)
	}
	path := filepath.Join(dir, tokenName)
	for _, spoil := range []func() error{
		func() error { return os.Chmod(path, 0o644) },
		func() error { return os.WriteFile(path, []byte("short"), 0o600) },
		func() error { return os.Truncate(path, 1<<20) },
		func() error { return os.Remove(path) },
		func() error { return os.Symlink("/dev/zero", path) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if (Asker{Folder: dir, Getenv: func(string) string { return two }}).hasToken() {
			t.Error("it counts")
		}
	}
}
