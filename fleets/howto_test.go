//go:build linux

package fleets

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"warp/internal/testkit/forgetest/hub"
	"warp/internal/testkit/need"
	"warp/internal/testkit/programs"
)

// machines are the network namespaces in which the how-to is followed, with the addresses
// that it names; the tracker stands where the internet would be.
var machines = map[string]string{"first": "10.77.0.1", "second": "10.77.0.2", "third": "10.77.0.3", "tracker": "10.77.0.254"}

const (
	trackerAt = "10.77.0.254:80"
	relayAt   = "127.0.0.1:8080"
)

// TestTheHowTo follows docs/how-to/fleet.md: its own commands, each on the machine that it
// names, from one machine to three, two repositories to merged, and a machine that dies on
// the way. Run it with make fleet-howto.
func TestTheHowTo(t *testing.T) {
	if os.Getenv("WARP_HOWTO") == "" {
		t.Skip("make fleet-howto runs it: it makes network namespaces")
	}
	need.Root(t)
	need.Tool(t, "ip")
	n := layCables(t)
	for _, s := range readHowTo(t) {
		n.follow(s)
	}
	for _, name := range []string{"shop", "docs"} {
		log := n.sh("git -C octo/" + name + ".git log --format=%s main")
		if got := strings.Count(log, "\n"); got < 2 {
			t.Errorf("%s: %d commits on main after its issues were merged:\n%s", name, got, log)
		}
	}
	n.checkAgents()
}

// TestServeTracker is the tracker of the how-to in a process of its own, or a machine's way
// to it: warp sends its token to loopback, or encrypted, and nowhere else.
func TestServeTracker(t *testing.T) {
	at := os.Getenv("WARP_HOWTO_SERVE")
	if at == "" {
		t.Skip("it is a part of TestTheHowTo")
	}
	var h http.Handler = httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: trackerAt})
	if at == trackerAt {
		h = (&world{t: t, hubs: map[string]*hub.Hub{}}).tracker([]string{"shop", "docs"}, 2)
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Fatal(http.Serve(l, h))
}

// step is one block of the how-to.
type step struct{ verb, machine, text string }

var block = regexp.MustCompile("(?s)<!-- (\\w+) (\\w*) *-->\\n```\\w*\\n(.*?)```\\n")

// readHowTo reads the blocks that say what is done with them: <!-- run MACHINE -->, stays
// (it runs on), interrupt (what runs there), file (fleet.yaml), unit (of
// systemd), await (until it succeeds), dies (the machine).
func readHowTo(t *testing.T) (list []step) {
	t.Helper()
	text, err := os.ReadFile("../docs/how-to/fleet.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range block.FindAllStringSubmatch(string(text), -1) {
		list = append(list, step{m[1], m[2], m[3]})
	}
	if len(list) < 8 {
		t.Fatalf("the how-to has %d steps", len(list))
	}
	return list
}

// network is the machines.
type network struct{ *world }

// layCables makes the namespaces and joins them by a bridge that stands in one of them:
// nothing listens outside.
func layCables(t *testing.T) *network {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	n := &network{&world{t: t, dir: dir}}
	n.env = programs.Environ(filepath.Join(dir, "home"), filepath.Join(dir, "tools"), bin)
	n.write("agent.sh", agentScript)
	n.write("agents.log", "")
	n.write("tools/ssh", "#!/bin/sh\ncd '"+dir+"' && eval \"$2\"\n")
	n.write("tools/scp", "#!/bin/sh\n# MACHINE:PATH FOLDER, between the homes of the machines\ncp '"+dir+"'/$(echo \"$1\" | tr ':' '/') \"$2\"\n")
	n.write("home/.gitconfig", "[user]\n\tname = u\n\temail = u@example.invalid\n[init]\n\tdefaultBranch = main\n")
	n.write("seed/test.sh", "true\n")
	n.write("seed/.gitignore", ".claude/\n")
	n.sh("ln -s '" + need.Temporal(t) + "' tools/temporal; cd seed && git init -q && git add -A && git commit -q -m 'chore: begin'")
	for _, name := range []string{"shop", "docs"} {
		n.sh("git init -q --bare -b main octo/" + name + ".git && cd seed && git push -q ../octo/" + name + ".git main")
	}
	for name := range machines {
		n.sh("ip netns add warp-" + name + " && ip -n warp-" + name + " link set lo up")
		t.Cleanup(func() {
			n.powerOff(name)
			n.sh("ip netns del warp-" + name)
		})
	}
	n.sh("ip -n warp-tracker link add bridge type bridge && ip -n warp-tracker link set bridge up && ip -n warp-tracker addr add " + machines["tracker"] + "/24 dev bridge")
	for name, at := range machines {
		if name == "tracker" {
			continue
		}
		n.sh(fmt.Sprintf("ip -n warp-%[1]s link add eth0 type veth peer name to-%[1]s netns warp-tracker && ip -n warp-%[1]s addr add %[2]s/24 dev eth0 && ip -n warp-%[1]s link set eth0 up && ip -n warp-tracker link set to-%[1]s master bridge up", name, at))
		n.setUp(name)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name := range machines {
		at := relayAt
		if name == "tracker" {
			at = trackerAt
		}
		n.start(name, "WARP_HOWTO_SERVE="+at+" exec "+self+" -test.run=TestServeTracker -test.timeout=0")
	}
	return n
}

// setUp gives a machine what the how-to presumes: git, and warp with an agent that works.
func (n *network) setUp(name string) {
	n.write(name+"/.gitconfig", "[user]\n\tname = u\n\temail = u@example.invalid\n[init]\n\tdefaultBranch = main\n[ssh]\n\tvariant = simple\n[core]\n\tsshCommand = ssh\n[advice]\n\tdetachedHead = false\n")
	n.on(name, "cd ../seed && warp config set --user test_command 'sh test.sh' && warp config set --user agent command && warp config set --user agent_command sh "+n.dir+"/agent.sh")
}

// command is a shell on a machine, in its home.
func (n *network) command(machine, script string) *exec.Cmd {
	home := filepath.Join(n.dir, machine)
	if err := os.MkdirAll(home, 0o755); err != nil {
		n.t.Fatal(err)
	}
	cmd := exec.Command("ip", "netns", "exec", "warp-"+machine, "sh", "-ec", script)
	cmd.Dir = home
	cmd.Env = append(programs.Environ(home, filepath.Join(n.dir, "tools"), bin), "WARP_SANDBOX=off", "GITHUB_TOKEN="+hub.Token, "WARP_GITHUB_API=http://"+relayAt,
		"AGENT_LOG="+filepath.Join(n.dir, "agents.log"), "AGENT_SLOW="+filepath.Join(n.dir, "go-on"), "HOSTNAME="+machine)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

func (n *network) on(machine, script string) string {
	n.t.Helper()
	out, err := n.command(machine, script).CombinedOutput()
	n.t.Logf("%s $ %s\n%s", machine, script, out)
	if err != nil {
		n.t.Fatalf("on %s: %v", machine, err)
	}
	return string(out)
}

// start starts what runs on; its log is shown when the test fails.
func (n *network) start(machine, script string) {
	n.t.Helper()
	path := filepath.Join(n.dir, fmt.Sprintf("%s-%d.log", machine, time.Now().UnixNano()))
	log, err := os.Create(path)
	if err != nil {
		n.t.Fatal(err)
	}
	defer log.Close()
	cmd := n.command(machine, script)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	n.t.Logf("%s & %s", machine, script)
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	n.t.Cleanup(func() {
		n.powerOff(machine)
		<-ended
		text, _ := os.ReadFile(path)
		n.t.Logf("== %s $ %s\n%s", machine, script, text)
	})
}

// powerOff ends everything on a machine at once.
func (n *network) powerOff(machine string) {
	_, _ = n.run("ip netns pids warp-" + machine + " | xargs -r kill -9")
}

var execStart = regexp.MustCompile(`(?m)^ExecStart=(.*)$`)

// verbs are what a block of the how-to may ask for.
var verbs = map[string]func(*network, step){
	"run":   func(n *network, s step) { n.on(s.machine, s.text) },
	"stays": func(n *network, s step) { n.start(s.machine, s.text) },
	"file":  func(n *network, s step) { n.write(s.machine+"/fleet.yaml", s.text) },
	"unit": func(n *network, s step) {
		line := execStart.FindStringSubmatch(s.text)
		if line == nil {
			n.t.Fatalf("the unit starts nothing:\n%s", s.text)
		}
		n.write("warp-fleet.service", strings.ReplaceAll(s.text, "/usr/local/bin/", bin+"/"))
		if out, code := n.run("systemd-analyze verify ./warp-fleet.service"); code != 0 {
			n.t.Errorf("the unit is not right:\n%s", out)
		}
		n.start(s.machine, strings.ReplaceAll(line[1], "/usr/local/bin/", ""))
	},
	"await": func(n *network, s step) {
		n.await(s.text, func() bool {
			out, err := n.command(s.machine, s.text).CombinedOutput()
			if err == nil {
				n.t.Logf("%s $ %s\n%s", s.machine, s.text, out)
			}
			return err == nil
		})
	},
	"interrupt": func(n *network, s step) {
		line := strings.TrimSpace(s.text)
		find := "for p in $(ip netns pids warp-" + s.machine + "); do if tr '\\0' ' ' < /proc/$p/cmdline | grep -q '" + line + "'; then echo $p; fi; done"
		n.sh("kill -INT $(" + find + ")")
		n.await("the end of "+line, func() bool { out, _ := n.run(find); return strings.TrimSpace(out) == "" })
	},
	"dies": func(n *network, s step) {
		n.await("work on "+s.machine, func() bool {
			text, _ := os.ReadFile(filepath.Join(n.dir, "agents.log"))
			return strings.Contains(string(text), "works ") && strings.Contains(n.on("first", "warp-fleet status"), "on "+s.machine)
		})
		n.powerOff(s.machine)
		n.write("go-on", "")
	},
}

func (n *network) follow(s step) {
	n.t.Helper()
	do := verbs[s.verb]
	if do == nil {
		n.t.Fatalf("the how-to asks for %q", s.verb)
	}
	do(n, s)
}
