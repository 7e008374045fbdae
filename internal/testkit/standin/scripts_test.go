package standin

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"warp/internal/adapter/agent/demo"
	"warp/internal/engine/agent"
)

func TestScriptedConflicts(t *testing.T) {
	const on = "supervise:conflict=architecture/high@1.2,conflict=api/low/re_plan@1.3/post_task,code:liar"
	dir := t.TempDir()
	check := func(task, check, more string) string {
		return "Look at this.\nCheck: " + check + "\n\nWORKFLOW TASK " + task + ": x\nFiles: a.txt\nCriteria:\n- k: x\n" + more
	}
	first := `{"conflicts":[{"type":"architecture","severity":"high","resolution":"fix the architecture of task 1.2"}]}`
	for i, c := range []struct{ prompt, want string }{
		{"Look at this.", `{"conflicts":[]}`},
		{check("1.1", "pre_task", ""), `{"conflicts":[]}`},
		{check("1.2", "pre_task", ""), first},
		{check("1.2", "pre_task", "planned anew"), `{"conflicts":[]}`},
		{check("1.2", "pre_task", ""), first}, // as after a crash: the same question, the same answer
		{check("1.2", "post_task", ""), `{"conflicts":[]}`},
		{check("1.3", "pre_task", ""), `{"conflicts":[]}`},
		{check("1.3", "post_task", ""), `{"conflicts":[{"type":"api","severity":"low","action":"re_plan","resolution":"fix the api of task 1.3"}]}`},
	} {
		if have := asked(t, dir, agent.Supervise, on, c.prompt); have != c.want {
			t.Errorf("%d: %s", i, have)
		}
	}
	twice := []string{}
	for _, prompt := range []string{"one", "two", "one", "three"} {
		twice = append(twice, strconv.Itoa(strings.Count(asked(t, dir, agent.Supervise, "conflict=api/low,conflict=api/low", prompt), "api")/2))
	}
	if have := strings.Join(twice, " "); have != "1 1 1 0" {
		t.Error(have)
	}
	if have := asked(t, t.TempDir(), agent.Supervise, "conflict=security/", check("1.1", "", "")); !strings.Contains(have, `"severity":""`) {
		t.Error(have)
	}
}

func TestScriptedFindings(t *testing.T) {
	const on = "scan:finding=S2/Say it better@a.md+src/b.go,finding=high/Check a/b,conflict=api/low"
	dir := t.TempDir()
	want := `{"findings":[{"title":"Say it better","priority":"S2","files":["a.md","src/b.go"]},{"title":"Check a/b","priority":"high","files":[]}]}`
	if have := asked(t, dir, agent.Scan, on, "one"); have != want {
		t.Error(have)
	}
	if have := asked(t, dir, agent.Scan, on, "two"); have != `{"findings":[]}` {
		t.Error(have)
	}
}

// What was played is known in every work tree of the repository.
func TestScriptsArePlayedOnceInAllWorkTrees(t *testing.T) {
	dir := scratch(t)
	other := filepath.Join(t.TempDir(), "other")
	git(t, dir, "worktree", "add", "-q", "--detach", other)
	if have := asked(t, other, agent.Scan, "finding=S1/x", "one"); have == `{"findings":[]}` {
		t.Error(have)
	}
	git(t, dir, "worktree", "remove", other)
	if have := asked(t, dir, agent.Scan, "finding=S1/x", "two"); have != `{"findings":[]}` {
		t.Error(have)
	}
}

func TestScriptsThatMakeNoSense(t *testing.T) {
	for list, want := range map[string]string{
		"finding=x":            "it must be finding=PRIORITY/TITLE[@FILE+FILE]",
		"finding=S1/@a":        "it must be finding",
		"conflict=/high":       "it must be conflict",
		"conflict=a/b/c@1/p/q": "it must be conflict",
		"code:conflict=api/x":  "it is for the role supervise",
		"liar=1":               "there are conflict=TYPE/SEVERITY",
	} {
		if _, err := parseScripts(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", list, err)
		}
	}
	const good = "limit, supervise:conflict=architecture/high@1.2 ,verify:liar"
	if list, err := parseScripts(good); err != nil || len(list) != 1 || demo.CheckSwitches(good) != nil {
		t.Errorf("%v %v", list, err)
	}
	if err := demo.CheckSwitches("conflict"); err == nil {
		t.Error("a script without words is taken for a switch")
	}
}
