//go:build linux

package trial

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/testkit/need"
)

// actors plays all roles: the checker writes an archive's checks under the names that warp gives,
// and leaves its stub; the coder lays an implementation over the project, and lays it again, with a
// line at the end of it, when it is to fix it; the verifier likes everything.
const actors = `set -e
prompt=$(cat)
at=$(dirname "$TRIAL")/cell
case $WARP_ROLE in
check)
	token=$(echo "$prompt" | grep -o 'warp_[0-9a-f]*_ac' | head -n 1)
	cp -r "$at/stub/." .
	for from in $(cd "$at/check" && find . -type f); do
		to=$(echo "$from" | sed "s/warp_zq7_ac/$token/g")
		mkdir -p "$(dirname "$to")"
		sed "s/warp_zq7_ac/$token/g" "$at/check/$from" > "$to"
	done
	sed "s/warp_zq7_ac/$token/g" "$at/answer.json" > "$WARP_RESULT" ;;
code | fix)
	cp -r "$at/code/." .
	if [ $WARP_ROLE = fix ]; then
		for file in $(cd "$at/code" && find . -type f); do echo >> "$file"; done
	fi
	echo '{"summary":"it is there","commit":"feat: do what is asked for"}' > "$WARP_RESULT" ;;
verify)
	list=
	for id in $(echo "$WARP_CRITERIA" | tr , ' '); do list="$list,{\"id\":\"$id\",\"met\":true,\"reason\":\"it is there\"}"; done
	echo "{\"criteria\":[${list#,}],\"unasked\":[]}" > "$WARP_RESULT" ;;
*) echo '{}' > "$WARP_RESULT" ;;
esac
`

const actorsProject = `git init -q -b main && git config user.name t && git config user.email t@example.invalid
git add -A && git commit -q -m 'chore: begin'
warp config set agent command
warp config set agent_command '["sh", "../agent.sh"]'
warp config set level 3
warp config set max_acs_per_commit 4
warp config set max_coding_cycles 1
warp config set max_retries_per_chunk 1
warp config set report_as off`

// act is one drive of an archive.
type act struct {
	family
	checks  string // the setting
	code    string // the implementation: right/1, wrong/constant …
	vacuous string // the check that proves nothing, or ""
}

// acts are all drives of the wrong-code family, by name.
func acts(t *testing.T) map[string]act {
	t.Helper()
	all, off := map[string]act{}, map[string]bool{}
	for _, f := range readFamilies(t) {
		wrong := f.each("wrong")
		for _, code := range append(f.each("right"), wrong...) {
			all[f.name+"/"+code] = act{family: f, checks: "evidence", code: code}
		}
		for _, vacuous := range f.each("vacuous") {
			all[f.name+"/"+vacuous] = act{family: f, checks: "evidence", code: "right/1", vacuous: vacuous}
		}
		if !off[f.stack()] {
			off[f.stack()] = true
			all["off/"+f.stack()] = act{family: f, checks: "off", code: wrong[0]}
		}
	}
	return all
}

// actTools is a folder with what the archives need, as it is found in no home folder: the Go whose
// cache has what it compiled for another drive, and the Python behind what chooses one.
var actTools = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(filepath.Dir(bin), "tools")
	err := os.MkdirAll(dir, 0o755)
	for name, ask := range map[string]string{
		"go":      `printf 'GOCACHE=%s exec %s/bin/go "$@"' "$(go env GOCACHE)" "$(go env GOROOT)"`,
		"python3": `printf 'exec %s "$@"' "$(python3 -c 'import sys; print(sys.executable)')"`,
	} {
		if _, missing := exec.LookPath(name); missing != nil || err != nil {
			continue
		}
		var line []byte
		if line, err = exec.Command("sh", "-c", ask).Output(); err == nil {
			err = os.WriteFile(filepath.Join(dir, name), append([]byte("#!/bin/sh\n"), line...), 0o755)
		}
	}
	return dir, err
})

// start makes the project of an act, with its issue.
func (a act) start(t *testing.T) *project {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tools, err := actTools()
	if err != nil {
		t.Fatal(err)
	}
	p := &project{t: t, root: filepath.Join(dir, "project"), home: filepath.Join(dir, "home")}
	p.env = []string{"PATH=" + strings.Join([]string{tools, bin, os.Getenv("PATH")}, ":"), "GOFLAGS=-trimpath -vet=off -ldflags=-s", "GOPROXY=off"}
	for folder, at := range map[string]string{"base": p.root, "stub": p.beside("cell/stub"), a.code: p.beside("cell/code")} {
		tree{family: a.family, t: t, root: at}.write(folder)
	}
	type criterion struct {
		ID       string   `json:"id"`
		Kind     []string `json:"kind"`
		Contract string   `json:"contract"`
		Command  string   `json:"command"`
	}
	var answer struct {
		Criteria []criterion `json:"criteria"`
	}
	for _, id := range a.criteria {
		check, command := "check/"+id, a.line("command/"+id)
		if a.vacuous != "" && id == a.line(a.vacuous+"/.criterion") {
			check, command = a.vacuous, a.line(a.vacuous+"/.command")
		}
		tree{family: a.family, t: t, root: p.beside("cell/check")}.write(check)
		answer.Criteria = append(answer.Criteria, criterion{id, []string{a.line("kind/" + id)}, a.line("contract/" + id), command})
	}
	text, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	title, body, _ := strings.Cut(a.files["issue.md"], "\n")
	p.write("../cell/answer.json", string(text))
	p.write("../agent.sh", actors)
	p.write("../body.md", body)
	p.sh(fmt.Sprintf("%s\nwarp config set test_command '%s'\nwarp config set checks %s\nwarp issue new --title '%s' --body-file ../body.md --label req --label approved",
		actorsProject, a.line("test"), a.checks, strings.TrimPrefix(title, "# ")))
	p.base = p.sh("git rev-parse main")
	return p
}

// proofs are what warp evidence says of how each criterion is proven.
func (p *project) proofs() map[string]evidence.Proven {
	p.t.Helper()
	var account struct {
		Criteria []struct {
			ID     string
			Proven evidence.Proven
		}
	}
	if err := json.Unmarshal([]byte(p.sh("warp evidence 1 --json 2>/dev/null")), &account); err != nil {
		p.t.Fatal(err)
	}
	all := map[string]evidence.Proven{}
	for _, c := range account.Criteria {
		all[c.ID] = c.Proven
	}
	return all
}

// judge returns what is wrong with how a drive ended.
func (a act) judge(merged bool, exit int, proofs map[string]evidence.Proven) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	excluded := strings.Fields(a.files[a.code+"/.excluded"])
	if want := a.checks == "off" || len(excluded) == 0 && a.vacuous == ""; merged != want || merged != (exit == 0) && a.vacuous == "" {
		say("merged: %t, exit %d", merged, exit)
	}
	if a.checks == "off" {
		return wrong
	}
	for _, id := range a.criteria {
		have, kind := proofs[id], a.line("kind/"+id)
		switch {
		case a.vacuous != "" && id == a.line(a.vacuous+"/.criterion"):
			read := have.How == evidence.ByReading && have.Lost && have.Why != "" && !have.Red
			if red := strings.HasSuffix(a.vacuous, "/always-red"); red && have.How != evidence.NotMet || !red && !read {
				say("%s has a vacuous check, and is %q: %s", id, have.How, have.Words())
			}
		case slices.Contains(excluded, id) != (have.How == evidence.NotMet):
			say("%s is %q: %s", id, have.How, have.Words())
		case slices.Contains(excluded, id):
		case kind == "keeps" && have.How != evidence.ByKeeping, kind != "keeps" && (have.How != evidence.ByCheck || !have.Red || !have.Seen):
			say("%s of kind %s is %q: %s", id, kind, have.How, have.Words())
		}
	}
	return wrong
}

// actSample is what make test tries: for each language wrong and right work, and two checks that
// prove nothing.
var actSample = []string{
	"off/sh", "sh-calc/wrong/constant", "sh-calc/right/2", "sh-calc/vacuous/name-only",
	"go-version/wrong/pre-release-ignored", "go-version/right/1", "node-csv/wrong/commas-only", "node-csv/right/1", "py-duration/wrong/constant", "py-duration/right/1", "py-leeway/vacuous/always-red",
}

// TestTheWrongCodeFamilyIsDriven has each implementation of the family driven at level 3, with a
// verifier that likes everything. Without checks what is wrong is merged; with them nothing that a
// criterion excludes is, all that is right is, and no check that proves nothing counts. The checks
// are where the coder can read them, since nothing contains it here: they count as seen.
func TestTheWrongCodeFamilyIsDriven(t *testing.T) {
	slots, began := make(chan bool, 3), time.Now()
	var mu sync.Mutex
	held := map[string]int{}
	if whole() {
		t.Cleanup(func() { t.Logf("the wrong-code family: %v hold, after %s", held, time.Since(began).Round(time.Second)) })
	}
	some := sample(t, acts(t), actSample...)
	for _, name := range slices.Sorted(maps.Keys(some)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			slots <- true
			defer func() { <-slots }()
			a := some[name]
			need.Tool(t, a.stack())
			p := a.start(t)
			t.Cleanup(p.endAll)
			exit, said := p.warp("drive", "1")
			proofs := map[string]evidence.Proven{}
			if a.checks != "off" {
				proofs = p.proofs()
			}
			wrong := a.judge(p.sh("git rev-parse main") != p.base, exit, proofs)
			for _, have := range proofs {
				if have.Lost && !strings.Contains(said, "so it is written again: "+have.Why) {
					wrong = append(wrong, "it was not written again: "+have.Why)
				}
			}
			for _, w := range wrong {
				t.Error(w)
			}
			if len(wrong) > 0 {
				t.Logf("exit %d\n%s", exit, said)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			kind, _, _ := strings.Cut(strings.TrimPrefix(name, a.name+"/"), "/")
			held[kind]++
		})
	}
}
