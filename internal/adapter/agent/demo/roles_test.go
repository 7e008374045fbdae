package demo

import (
	"go/format"
	"os/exec"
	"strings"
	"testing"

	"warp/internal/engine/agent"
	"warp/internal/testkit/need"
)

func TestEveryRoleAnswersInItsForm(t *testing.T) {
	dir := scratch(t)
	r := newRuns(t, dir, "")
	for _, c := range []struct {
		role agent.Role
		want string
	}{
		{agent.Plan, `{"approach":"write one small file for each criterion","chunks":[["AC-01","AC-02"]]}`},
		{agent.Verify, `{"criteria":[{"id":"AC-01","met":false,"reason":"there is no demo_ac_01.go"},{"id":"AC-02","met":false,"reason":"there is no demo_ac_02.go"}]}`},
		{agent.Code, `{"summary":"2 criteria are done"}`},
		{agent.Fix, `{"summary":"2 criteria are done"}`},
		{agent.Verify, `{"criteria":[{"id":"AC-01","met":true,"reason":"demo_ac_01.go does what it asks for"},{"id":"AC-02","met":true,"reason":"demo_ac_02.go does what it asks for"}]}`},
		{agent.Judge, `{"confidence":1,"reason":"the demo agent plays drives only","stop":true}`},
		{agent.Iterate, `{"items_completed":[],"plateau":true,"reasoning":"the demo agent plays drives only","summary":"there is nothing to do"}`},
		{agent.Supervise, `{"conflicts":[]}`},
		{agent.Scan, `{"findings":[]}`},
	} {
		res := r.ask(t, dir, c.role)
		if res.End != agent.Done || compact(res.JSON) != c.want {
			t.Errorf("%s: %s %s %s\n have %s\n want %s", c.role, res.End, res.Why, res.Invalid, compact(res.JSON), c.want)
		}
		if res.Usage.Tokens() == 0 || res.Usage.MicroUSD == 0 || res.Session == "" || res.Text == "" {
			t.Errorf("%s: it tells no cost, session or words: %+v", c.role, res)
		}
	}
}

func TestPlansHaveSmallChunks(t *testing.T) {
	dir := scratch(t)
	res := newRuns(t, dir, "").ask(t, dir, agent.Plan, func(t *agent.Task) { t.Criteria = strings.Split("AC-01 AC-02 AC-03 AC-04", " ") })
	if have := compact(res.JSON.Get("chunks")); have != `[["AC-01","AC-02","AC-03"],["AC-04"]]` {
		t.Error(have)
	}
}

// What it writes is real: it is formatted, it compiles, and its tests pass.
func TestCodeIsRealGo(t *testing.T) {
	need.Tool(t, "go")
	dir := scratch(t)
	put(t, dir, "lib.go", "package scratch\n")
	put(t, dir, "fails_test.go", "package scratch_test\n")
	if exit, out := play(t, dir, agent.Code, ""); exit != 0 {
		t.Fatalf("exit %d: %s", exit, out)
	}
	for _, name := range []string{"demo_ac_01.go", "demo_ac_02_test.go"} {
		text := get(dir, name)
		if nice, err := format.Source([]byte(text)); err != nil || string(nice) != text || text == "" {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	cmd := exec.Command("go", "test", "-v", ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestDemoAC02") {
		t.Errorf("%v: %s", err, out)
	}
	if have := get(dir, "README.md"); have != "# scratch\n- AC-01: done by the demo agent\n- AC-02: done by the demo agent\n" {
		t.Errorf("README.md is %q", have)
	}
	before := git(t, dir, "status", "--short")
	play(t, dir, agent.Fix, "")
	if have := get(dir, "README.md"); strings.Count(have, "AC-01") != 1 || git(t, dir, "status", "--short") != before {
		t.Errorf("a second time it adds to what is there: %q", have)
	}
}

func TestOtherStacksGetTextAndJavaScript(t *testing.T) {
	for pkg, want := range map[string]string{
		"":                      "",
		`{"name":"x"}`:          "exports.demoAC01 = () => \"AC-01\";\n",
		`{ "type" : "module" }`: "export const demoAC01 = () => \"AC-01\";\n",
	} {
		dir := t.TempDir()
		if pkg != "" {
			put(t, dir, "package.json", pkg)
		}
		play(t, dir, agent.Code, "")
		if get(dir, "demo_ac_01.txt") != "AC-01: done by the demo agent\n" || get(dir, "demo_ac_01.js") != want || get(dir, "README.md") != "" {
			t.Errorf("%s: %q %q", pkg, get(dir, "demo_ac_01.txt"), get(dir, "demo_ac_01.js"))
		}
	}
}

// What it writes at first fails its tests, what it writes next does not; in Go, in
// JavaScript and in the shell, whatever role it is asked in.
func TestItStumblesOnce(t *testing.T) {
	for _, c := range []struct {
		file, text string
		argv       []string
	}{
		{"go.mod", "module scratch\n\ngo 1.26\n", []string{"go", "test", "."}},
		{"package.json", `{"name":"x"}`, []string{"node", "--test"}},
		{"package.json", `{"type":"module"}`, []string{"node", "--test"}},
		{runner, "for t in tests/*_test.sh; do sh $t || exit 1; done\n", []string{"sh", runner}},
	} {
		need.Tool(t, c.argv[0])
		dir := t.TempDir()
		put(t, dir, c.file, c.text)
		tests := func() error {
			cmd := exec.Command(c.argv[0], c.argv[1:]...)
			cmd.Dir = dir
			return cmd.Run()
		}
		play(t, dir, agent.Code, "stumble")
		if tests() == nil {
			t.Errorf("%s: the tests pass at once", c.text)
		}
		play(t, dir, agent.Fix, "stumble")
		if err := tests(); err != nil {
			t.Errorf("%s: fixed: %v", c.text, err)
		}
	}
}

func TestAVerifierBelievesOnlyWhatItReads(t *testing.T) {
	dir := scratch(t)
	play(t, dir, agent.Code, "")
	put(t, dir, "demo_ac_01.go", "package scratch // nothing\n")
	res := newRuns(t, dir, "").ask(t, dir, agent.Verify)
	if have := compact(res.JSON.Get("criteria").Elems[0]); have != `{"id":"AC-01","met":false,"reason":"demo_ac_01.go does not name AC-01"}` {
		t.Error(have)
	}
}

func TestCriteriaComeFromThePromptWhereNoneAreGiven(t *testing.T) {
	dir := scratch(t)
	res := newRuns(t, dir, "").ask(t, dir, agent.Plan, func(t *agent.Task) {
		t.Criteria, t.Prompt = nil, "Do this:\n- [ ] AC-07: seven\n- [x] eight\n"
	})
	if have := compact(res.JSON.Get("chunks")); have != `[["AC-07","AC-02"]]` {
		t.Error(have)
	}
}

func TestACriterionIsNoPath(t *testing.T) {
	dir := scratch(t)
	res := newRuns(t, dir, "").ask(t, dir, agent.Code, func(t *agent.Task) { t.Criteria = []string{"../../AC-01"} })
	if res.End != agent.Crashed || !strings.Contains(res.Why, "WARP_CRITERIA") {
		t.Errorf("%s %s", res.End, res.Why)
	}
}

func TestAReaderIsNotPermittedToWrite(t *testing.T) {
	dir := scratch(t)
	before := git(t, dir, "status", "--short")
	res := newRuns(t, dir, "tamper,commit").ask(t, dir, agent.Code, func(t *agent.Task) { t.ReadOnly = true })
	if res.End != agent.Done || compact(res.JSON) != `{"summary":"0 criteria are done"}` || len(res.Denials) != 3 || res.Denials[0] != "write demo_ac_01.go" {
		t.Errorf("%s %s, denied %q", res.End, compact(res.JSON), res.Denials)
	}
	if have := git(t, dir, "status", "--short"); have != before {
		t.Errorf("it changed:\n%s", have)
	}
}

func TestTurnsAreBounded(t *testing.T) {
	dir := scratch(t)
	res := newRuns(t, dir, "").ask(t, dir, agent.Code, func(t *agent.Task) { t.MaxTurns = 2 })
	if res.End != agent.MaxTurns || res.Usage.Turns != 2 || get(dir, "demo_ac_02.go") != "" {
		t.Errorf("%s after %d turns", res.End, res.Usage.Turns)
	}
}
