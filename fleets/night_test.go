//go:build unix

package fleets

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"warp/internal/core/fleetview"
)

// begin starts the fleet and its workers.
func (w *world) begin(level, workers int, heartbeat time.Duration) {
	w.t.Helper()
	var b strings.Builder
	b.WriteString("repositories:\n")
	for _, name := range w.names() {
		fmt.Fprintf(&b, "  - {name: %s, url: '%s%s.git', level: %d, target: main, pool: all}\n", name, w.remote, name, level)
	}
	b.WriteString("pools:\n  - {label: all, slots: 2, agents: [command], accounts: [one]}\naccounts:\n  - {name: one, agent: command}\n")
	w.write("fleet.yaml", b.String())
	w.startFleet("--heartbeat", heartbeat.String(), "--grace", "1s")
	w.startWorkers(workers, "--connect", w.gate.address(), "--slots", "2")
}

// startFleet starts what fleet.yaml says, and no worker.
func (w *world) startFleet(args ...string) {
	w.t.Helper()
	up := exec.Command(filepath.Join(bin, "warp-fleet"), append([]string{"up", "fleet.yaml", "--connect", w.connect, "--workers", "0"}, args...)...)
	up.Dir, up.Env = w.dir, w.env
	up.Stdout, up.Stderr = os.Stderr, os.Stderr
	if err := up.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = up.Process.Signal(syscall.SIGTERM); _ = up.Wait() })
	w.await("the fleet's key", func() bool { _, err := os.Stat(filepath.Join(w.dir, "fleet", "fleet.key")); return err == nil })
}

func (w *world) startWorkers(count int, args ...string) {
	w.t.Helper()
	for n := range count {
		k := &worker{w: w, name: fmt.Sprintf("w%d", n+1), args: args}
		k.start()
		w.workers = append(w.workers, k)
	}
	w.t.Cleanup(func() {
		for _, k := range w.workers {
			k.kill()
		}
		if w.t.Failed() {
			w.tellLogs()
		}
	})
}

func (w *world) names() (list []string) {
	for name := range w.hubs {
		list = append(list, name)
	}
	sort.Strings(list)
	return list
}

// await waits until something holds; the test's own time-out ends it.
func (w *world) await(what string, ok func() bool) {
	w.t.Helper()
	for !ok() {
		select {
		case <-w.t.Context().Done():
			w.t.Fatalf("waiting for %s", what)
		case <-time.After(500 * time.Millisecond): // to ask a fleet is to start a program
		}
		if d, has := w.t.Deadline(); has && time.Until(d) < 20*time.Second {
			w.t.Fatalf("%s: it did not come in time", what)
		}
	}
}

// view is the fleet as people see it.
func (w *world) view() (v fleetview.View, ok bool) {
	out, code := w.fleet("status --json")
	return v, code == 0 && json.Unmarshal([]byte(out), &v) == nil
}

func (w *world) tellLogs() {
	files, _ := filepath.Glob(filepath.Join(w.dir, "*.log"))
	more, _ := filepath.Glob(filepath.Join(w.dir, "work-*", "*", "*.txt"))
	for _, f := range append(files, more...) {
		text, _ := os.ReadFile(f)
		if len(text) > 3000 {
			text = text[len(text)-3000:]
		}
		w.t.Logf("== %s\n%s", strings.TrimPrefix(f, w.dir+"/"), text)
	}
}

// checkNight holds the world against what a night promises: each requirement merged once
// or parked with its reason, each commit, report and pull request once, and no two agents
// on one requirement at any instant.
func (w *world) checkNight(issues, level int) {
	w.t.Helper()
	v, ok := w.view()
	if !ok {
		w.t.Fatal("the fleet does not say where it stands")
	}
	parked := map[string]bool{}
	for _, i := range v.Parked {
		parked[i.ID()] = true
		if i.Why == "" {
			w.t.Errorf("%s is parked without a reason", i.ID())
		}
		w.t.Logf("parked: %s: %s", i.ID(), i.Why)
	}
	if got := len(v.Done) + len(v.Parked); got != len(w.hubs)*issues {
		w.t.Errorf("%d done, %d parked of %d", len(v.Done), len(v.Parked), len(w.hubs)*issues)
	}
	if v.Budget.Reserved != 0 {
		w.t.Errorf("%d are still reserved", v.Budget.Reserved)
	}
	for _, name := range w.names() {
		w.checkRepository(name, issues, level, parked)
	}
	w.checkAgents()
}

var marker = regexp.MustCompile(`<!-- warp-drive[^>]*-->`)

func (w *world) checkRepository(name string, issues, level int, parked map[string]bool) {
	w.t.Helper()
	subjects := map[string]int{}
	for _, line := range strings.Split(w.sh("git -C octo/"+name+".git log --format=%s main"), "\n") {
		if subjects[line]++; subjects[line] > 1 {
			w.t.Errorf("%s: committed twice: %s", name, line)
		}
	}
	h := w.hubs[name]
	h.Lock()
	defer h.Unlock()
	seen, pulls := map[string]int{}, map[string]int{}
	for _, i := range h.Items {
		texts := []string{i.Body}
		for _, c := range i.Comments {
			texts = append(texts, c.Body)
		}
		for _, m := range marker.FindAllString(strings.Join(texts, "\n"), -1) {
			if seen[m]++; seen[m] > 1 {
				w.t.Errorf("%s: filed twice: %s", name, m)
			}
		}
		if i.Pull != nil {
			if pulls[i.Pull.Head]++; pulls[i.Pull.Head] > 1 {
				w.t.Errorf("%s: two pull requests of %s", name, i.Pull.Head)
			}
		}
		if id := fmt.Sprintf("%s#%d", name, i.Number); level == 3 && i.Number <= issues && i.Open && !parked[id] {
			w.t.Errorf("%s is still open", id)
		}
	}
	for n := range issues {
		if id := fmt.Sprintf("%s#%d", name, n+1); parked[id] {
			issues--
		}
	}
	if level == 2 && len(pulls) < issues {
		w.t.Errorf("%s: %d pull requests for %d issues", name, len(pulls), issues)
	}
}

// checkAgents reads the agents' own log: for each requirement, no word of one agent
// stands between the first and the last of another.
func (w *world) checkAgents() {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, "agents.log"))
	if err != nil {
		w.t.Fatal(err)
	}
	if secrets, err := os.ReadFile(filepath.Join(w.dir, "agents.log.secrets")); err != nil || len(secrets) > 0 {
		w.t.Errorf("agents see what is the fleet's: %v\n%s", err, secrets)
	}
	type span struct{ first, last int64 }
	spans := map[string]map[string]*span{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		f := strings.Fields(line)
		if len(f) != 4 {
			continue
		}
		at, _ := strconv.ParseInt(f[3], 10, 64)
		if spans[f[1]] == nil {
			spans[f[1]] = map[string]*span{}
		}
		s := spans[f[1]][f[2]]
		if s == nil {
			s = &span{at, at}
			spans[f[1]][f[2]] = s
		}
		s.first, s.last = min(s.first, at), max(s.last, at)
	}
	for id, agents := range spans {
		for a, x := range agents {
			for b, y := range agents {
				if a < b && x.first <= y.last && y.first <= x.last {
					w.t.Errorf("%s: agents %s and %s worked at the same time", id, a, b)
				}
			}
		}
	}
}

func TestACalmNight(t *testing.T) {
	w := newWorld(t, 2, 1)
	w.begin(3, 2, 10*time.Second)
	out := w.sh("warp-fleet submit --connect " + w.server.Address())
	if strings.Count(out, "Task") != 2 {
		t.Fatalf("submitted:\n%s", out)
	}
	w.await("everything merged", func() bool {
		v, ok := w.view()
		return ok && len(v.Done)+len(v.Parked) == 2
	})
	w.checkNight(1, 3)
	report, code := w.fleet("report")
	if code != 0 || !strings.Contains(report, "2 merged") {
		t.Errorf("exit %d\n%s", code, report)
	}
	w.checkEvidence("repo1#1")
	w.checkPages()
	w.checkForeignKey()
	if frame := w.sh("warp watch --fleet --once repo1#1 -- --connect " + w.server.Address()); !strings.Contains(frame, "2 merged") || !strings.Contains(frame, "repo1#1 Task 1") {
		t.Errorf("warp watch --fleet:\n%s", frame)
	}
}

// checkForeignKey starts the fleet that runs from a machine that has no key.
func (w *world) checkForeignKey() {
	w.t.Helper()
	out, code := w.run("WARP_FLEET_HOME=$PWD/elsewhere warp-fleet up fleet.yaml --workers 0 --connect " + w.connect)
	if code != 1 || !strings.Contains(out, "its key is not here: copy it to ") {
		w.t.Errorf("exit %d\n%s", code, out)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "elsewhere", "fleet.key")); err == nil {
		w.t.Error("a key that fits no fleet was left")
	}
}

// checkEvidence wants the evidence of a requirement from the fleet, which has it although
// the clone of its worker may be gone.
func (w *world) checkEvidence(id string) {
	w.t.Helper()
	out, code := w.fleet("show --json '" + id + "'")
	var d fleetview.Detail
	if err := json.Unmarshal([]byte(out), &d); code != 0 || err != nil || d.Evidence == nil || len(d.Evidence.Criteria) != 1 {
		w.t.Fatalf("exit %d, %v\n%s", code, err, out)
	}
	if p := d.Evidence.Criteria[0]; !p.Met || len(p.Commits) == 0 || len(p.Tests) == 0 || p.Verdict == nil || !p.Verdict.Met {
		w.t.Errorf("%+v", p)
	}
	if out, code := w.fleet("show '" + id + "'"); code != 0 || !strings.Contains(out, "AC-01 met") || !strings.Contains(out, "it is there") {
		w.t.Errorf("exit %d\n%s", code, out)
	}
}
