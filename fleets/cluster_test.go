//go:build unix

package fleets

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// standInDrive speaks as a conducted drive does: it asks for a few phases, a push and a
// filing, takes a moment for each, and merges. What it merges it writes down, and one that
// takes over looks there first, as a drive looks at its tracker. It does not ask whether it
// merges twice: two at one requirement would show.
const standInDrive = `#!/bin/sh
name=$(basename "$(git remote get-url origin)" .git)
if [ "$1" = issue ]; then
  i=0
  printf '['
  while [ $i -lt "$ISSUES" ]; do
    i=$((i + 1))
    [ $i = 1 ] || printf ,
    printf '{"number":%d,"title":"Task %d","priority":2,"approved_by":"ada"}' $i $i
  done
  printf ']\n'
  exit
fi
id=$name#$2
n=0
log() { printf '%s %s %s %s\n' "$1" "$id" $$ "$(date +%s%N)" >> "$AGENT_LOG"; }
ask() {
  n=$((n + 1))
  printf '{"kind":"%s","n":%d,"phase":"%s","agent":%s,"what":"%s"}\n' "$1" $n "$2" "$3" "$2"
  while read -r line; do
    case $line in
    '{"n":'$n',"go":true'*) return ;;
    '{"n":'$n','*) exit 3 ;;
    esac
  done
  exit 4
}
if ! grep -q "^$id " "$MERGED"; then
  ask phase coding true
  log begin
  sleep 0.3
  log end
  ask push coding false
  ask phase testing false
  sleep 0.1
  ask file testing false
  ask phase merging false
  sleep 0.05
  ask push merging false
  flock "$MERGED" sh -c 'printf "%s %s\n" "$0" "$(date +%s%N)" >> "$MERGED"' "$id"
fi
printf '{"kind":"end","outcome":{"result":"merged"}}\n'
`

// TestANightOnACluster drives 200 requirements on the production server with two nodes on
// PostgreSQL, and kills one of them for good when a third is merged.
func TestANightOnACluster(t *testing.T) {
	if os.Getenv("WARP_CLUSTER") == "" {
		t.Skip("make fleet-cluster runs it")
	}
	const repos, issues = 4, 50
	w := newMachine(t)
	nodes := startCluster(t, w)
	w.connect = nodes[0].address() + "," + nodes[1].address()
	merged := filepath.Join(w.dir, "merged.log")
	w.write("merged.log", "")
	w.write("drive", standInDrive)
	w.env = append(w.env, "MERGED="+merged, fmt.Sprintf("ISSUES=%d", issues))
	file := "repositories:\n"
	for n := range repos {
		name := fmt.Sprintf("repo%d", n+1)
		w.sow(name)
		file += fmt.Sprintf("  - {name: %s, url: 'git@github.com:octo/%s.git', level: 3, target: main, pool: all}\n", name, name)
	}
	w.write("fleet.yaml", file+"pools:\n  - {label: all, slots: 6, agents: [command], accounts: [one]}\naccounts:\n  - {name: one, agent: command}\n")
	w.startFleet()
	w.startWorkers(3, "--connect", w.connect, "--slots", "6", "--warp", filepath.Join(w.dir, "drive"))
	w.await("the work is taken", func() bool { _, code := w.fleet("submit"); return code == 0 })
	began := time.Now()
	w.await("a third is merged", func() bool { return len(readMerges(t, merged)) >= repos*issues/3 })
	killed := time.Now()
	nodes[0].kill()
	w.await("everything is merged or parked", func() bool {
		v, ok := w.view()
		return ok && v.Merged+len(v.Parked) == repos*issues
	})
	took := time.Since(began)
	list := readMerges(t, merged)
	count := map[string]int{}
	last, stall, after := began, time.Duration(0), time.Duration(0)
	for _, m := range list {
		if count[m.id]++; count[m.id] > 1 {
			t.Errorf("%s was merged twice", m.id)
		}
		stall = max(stall, m.at.Sub(last))
		if after == 0 && m.at.After(killed) {
			after = m.at.Sub(killed)
		}
		last = m.at
	}
	v, _ := w.view()
	for _, i := range v.Parked {
		t.Errorf("parked: %s: %s", i.ID(), i.Why)
	}
	if len(count) != repos*issues {
		t.Errorf("%d of %d are merged", len(count), repos*issues)
	}
	w.checkAgents()
	fmt.Printf("%d requirements on two nodes, one killed after %d: %d merged once in %.0f s; longest stall %.1f s, first merge %.1f s after the kill\n",
		repos*issues, mergedBefore(list, killed), len(count), took.Seconds(), stall.Seconds(), after.Seconds())
}

type merge struct {
	id string
	at time.Time
}

func readMerges(t *testing.T, path string) (list []merge) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		id, at, _ := strings.Cut(strings.TrimSpace(line), " ")
		ns, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			continue // it is being written
		}
		list = append(list, merge{id, time.Unix(0, ns)})
	}
	return list
}

func mergedBefore(list []merge, at time.Time) (n int) {
	for _, m := range list {
		if m.at.Before(at) {
			n++
		}
	}
	return n
}
