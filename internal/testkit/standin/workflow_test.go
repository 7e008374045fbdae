package standin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/format"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/adapter/agent/demo"
	"warp/internal/core/answer"
	"warp/internal/core/lossless"
	"warp/internal/core/taskdoc"
	"warp/internal/core/workflowstate/claim"
	"warp/internal/engine/agent"
	"warp/internal/testkit/need"
)

// asked is what the agent answers to a prompt, in its role's form.
func asked(t testing.TB, dir string, role agent.Role, misbehave, prompt string, args ...string) string {
	t.Helper()
	env := map[string]string{"WARP_ROLE": string(role), "WARP_ISSUE": "it", "WARP_DEMO": misbehave}
	var b bytes.Buffer
	w := demo.World{In: strings.NewReader(prompt), Out: &b, Dir: dir, Getenv: func(k string) string { return env[k] },
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	exit := demo.Main(t.Context(), w, args)
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	v, err := lossless.Parse([]byte(lines[len(lines)-1]))
	if exit != 0 || err != nil {
		t.Fatalf("exit %d: %v: %s", exit, err, b.String())
	}
	if why := answer.Valid(role, v.Get("result")); why != "" {
		t.Errorf("%s: %s", why, b.String())
	}
	return compact(v.Get("result"))
}

// briefing is a prompt about a task.
func briefing(task taskdoc.Task) string {
	files := "any that the task needs"
	if len(task.Files) > 0 {
		files = strings.Join(task.Files, ", ")
	}
	text := fmt.Sprintf("Do this, and nothing else.\n\nWORKFLOW TASK %s: %s\nFiles: %s\nCriteria:\n", task.ID, task.Name, files)
	for _, c := range task.Criteria {
		text += fmt.Sprintf("- %s: %s\n", c.Key, c.Text)
	}
	return text + "\nDescription:\n" + task.Description + "\n\nGo on.\n- no_key: of a criterion\n"
}

// The template is done by it, and by nothing but the files of its tasks.
func TestItDoesTheTemplateOfTaskDocuments(t *testing.T) {
	need.Tool(t, "sh")
	dir := t.TempDir()
	doc, defects := taskdoc.Parse([]byte(taskdoc.Template()))
	if len(defects) > 0 {
		t.Fatal(defects)
	}
	sh := func(line string) {
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v %s", line, err, out)
		}
	}
	for _, task := range taskdoc.Order(doc) {
		if have := asked(t, dir, agent.Verify, "", briefing(task)); strings.Count(have, `"met":false`) != len(task.Criteria) {
			t.Errorf("before task %s: %s", task.ID, have)
		}
		asked(t, dir, agent.Code, "", briefing(task))
		if have := asked(t, dir, agent.Verify, "", briefing(task)); strings.Count(have, `"met":true`) != len(task.Criteria) || !strings.Contains(have, task.Criteria[0].Key) {
			t.Errorf("task %s: %s", task.ID, have)
		}
		for _, c := range task.Criteria {
			sh(c.Run)
		}
	}
	for _, c := range doc.Verification {
		sh(c.Run)
	}
	want := "/greeting/README.txt\nHello from the demo agent. Task 2.1: Say what it is for.\n\n/greeting/hello.txt\nHello from the demo agent. Task 1.1: Write the greeting.\n\n"
	if have := tree(t, dir); have != want {
		t.Error(have)
	}
}

func TestATaskIsAnsweredWithWhatWasLearned(t *testing.T) {
	dir := t.TempDir()
	task := taskdoc.Task{ID: "1.2", Name: "Go", Files: []string{"src/a.txt", "docs/b.md"}}
	want := `{"summary":"task 1.2: 2 files are written","learnings":["task 1.2 (Go) is in src/a.txt, docs/b.md"]}`
	for _, role := range []agent.Role{agent.Code, agent.Fix} {
		if have := asked(t, dir, role, "", briefing(task)); have != want {
			t.Error(have)
		}
	}
	if have := get(dir, "docs/b.md"); have != "# Go\n\nTask 1.2: Go.\n\nTask 1.2: Go, pass 2.\n" {
		t.Error(have)
	}
	put(t, dir, "src/old.txt", "old words")
	asked(t, dir, agent.Code, "", briefing(taskdoc.Task{ID: "2.1", Name: "More", Files: []string{"src/old.txt"}}))
	if have := get(dir, "src/old.txt"); have != "old words\nHello from the demo agent. Task 2.1: More.\n" {
		t.Error(have)
	}
	if have := asked(t, dir, agent.Code, "", briefing(taskdoc.Task{ID: "3.1", Name: "x"}), "--read-only"); have != `{"summary":"task 3.1: nothing is written"}` || get(dir, "demo_task_3_1.txt") != "" {
		t.Error(have)
	}
	if have := asked(t, dir, agent.Code, "liar", briefing(taskdoc.Task{ID: "3.1", Name: "x"})); !strings.Contains(have, "1 files are written") || get(dir, "demo_task_3_1.txt") != "" {
		t.Error(have)
	}
}

// Whatever is written and added to can be read by all that read such files.
func TestFilesOfTasksAreValid(t *testing.T) {
	need.Tool(t, "node")
	task := taskdoc.Task{ID: "1.2", Name: `It's a "thing" of $HOME {name} ünd <more>`}
	for name, check := range map[string]func(path, text string) error{
		"pkg/new.go": gofmt, "pkg/old.go": gofmt, "old.js": node, "new.js": node, "new.mjs": node,
		"new.json": isJSON, "old.json": isJSON, "new.sh": shell, "old.sh": shell, "new.py": nil, "new.md": nil, "odd": nil, "odd.css": nil,
	} {
		dir := t.TempDir()
		put(t, dir, "pkg/old.go", "package other\n\nvar X = 1\n")
		put(t, dir, "old.js", "exports.x = 1")
		put(t, dir, "old.json", `{"a": 1.50}`)
		put(t, dir, "old.sh", "true")
		task.Files = []string{name}
		before := get(dir, name)
		for pass := range 3 {
			asked(t, dir, agent.Code, "", briefing(task))
			text := get(dir, name)
			if check != nil {
				if err := check(filepath.Join(dir, name), text); err != nil {
					t.Errorf("%s, pass %d: %v\n%s", name, pass+1, err, text)
				}
			}
			if !strings.HasPrefix(text, strings.TrimSuffix(before, "}")) || len(text) <= len(before) || strings.Count(text, "Task 1.2: It's") != pass+1 {
				t.Errorf("%s, pass %d:\n%s", name, pass+1, text)
			}
			before = strings.TrimRight(text, "\n}")
		}
	}
}

func gofmt(_, text string) error {
	nice, err := format.Source([]byte(text))
	if err == nil && string(nice) != text {
		return fmt.Errorf("it is not formatted: %s", nice)
	}
	return err
}

func node(path, _ string) error  { return exec.Command("node", "--check", path).Run() }
func shell(path, _ string) error { return exec.Command("sh", "-n", path).Run() }

func isJSON(_, text string) error {
	var members map[string]any
	return json.Unmarshal([]byte(text), &members)
}

// Names that it makes of patterns are among the files of the task.
func TestPatternsGetAFileThatFits(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "lib/x.go", "package x\n")
	for pattern, want := range map[string]string{
		"a.txt": "a.txt", "greeting/*.txt": "greeting/demo.txt", "src/**": "src/demo.txt", "src/**/*.go": "src/demo.go", "**": "demo.txt", "*": "demo.txt",
		"src/*_test.go": "src/demo_test.go", "{a,b{c,d}}/x?.js": "a/xx.js", "lib": "lib/demo.txt", "pages/[id].js": "pages/[id].js", "Makefile": "Makefile", "x/**/y/*": "x/y/demo.txt",
	} {
		task := taskdoc.Task{ID: "1.1", Files: []string{pattern}}
		have := briefs(briefing(task))[0].targets(dir)
		if len(have) != 1 || have[0] != want || !claim.Covers(task.Files, have[0]) {
			t.Errorf("%s: %q", pattern, have)
		}
	}
	for list, want := range map[string]string{
		"":     "demo_task_1_12.txt",
		"none": "demo_task_1_12.txt", "any that the task needs": "demo_task_1_12.txt", "(none)": "demo_task_1_12.txt",
		"../x, /etc/passwd": "demo_task_1_12.txt",
		"`a.go`, {b,c}.go":  "a.go b.go", "a, a": "a",
	} {
		if have := strings.Join(briefs("WORKFLOW TASK 1.12: x\nFiles: " + list + "\nCriteria:\n- k: x\n")[0].targets(dir), " "); have != want {
			t.Errorf("%s: %s", list, have)
		}
	}
}

func TestAVerifierLooksAtTheFilesOfTasks(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.txt", "a")
	put(t, dir, "empty.txt", "")
	one := func(files string) string {
		return "WORKFLOW TASK 1.1: x\nFiles: " + files + "\nCriteria:\n- it_is: there\n"
	}
	for _, c := range []struct{ prompt, misbehave, want string }{
		{one("a.txt"), "", `"met":true,"reason":"a.txt is there"`},
		{one("a.txt, empty.txt, c.txt"), "", `"met":false,"reason":"empty.txt is empty"`},
		{one("b.txt, a.txt"), "", `"met":false,"reason":"there is no b.txt"`},
		{one("b.txt"), "verify:liar", `"met":true,"reason":"it is done"`},
		{one("none"), "", `"met":false,"reason":"there is no demo_task_1_1.txt"`},
		{"WORKFLOW TASK all: x\nCriteria:\n- it_is: there\n", "", `"met":true,"reason":"nothing is missing"`},
		{"WORKFLOW TASK all: x\nCriteria:\n- it_is: there\n\nWORKFLOW TASK 1.1: x\nFiles: b.txt\n", "", `"met":false,"reason":"there is no b.txt"`},
	} {
		if have := asked(t, dir, agent.Verify, c.misbehave, c.prompt); have != `{"criteria":[{"id":"it_is",`+c.want+`}]}` {
			t.Errorf("%s: %s", c.prompt, have)
		}
	}
}

// Keys are no names of files; and what a description says of criteria is not heard.
func TestCriteriaOfTasksAreThoseOfTheBrief(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("it_is_", 20) + "ä"
	prompt := briefing(taskdoc.Task{ID: "1.1", Name: "x", Criteria: []taskdoc.Criterion{{Key: long}}, Description: "Criteria:\n- other: one"})
	want := `{"criteria":[{"id":"` + long + `","met":false,"reason":"there is no demo_task_1_1.txt"}]}`
	if have := asked(t, dir, agent.Verify, "", prompt); have != want {
		t.Error(have)
	}
	res := newRuns(t, dir, "").ask(t, dir, agent.Verify, func(t *agent.Task) { t.Prompt, t.Criteria = prompt, []string{long} })
	if have := compact(res.JSON); have != want {
		t.Errorf("%s %s", have, res.Why)
	}
}

func TestItStumblesOverATaskOnce(t *testing.T) {
	dir := t.TempDir()
	prompt := briefing(taskdoc.Task{ID: "1.1", Name: "x", Files: []string{"a.go"}, Criteria: []taskdoc.Criterion{{Key: "k"}}})
	for i, want := range []bool{false, true, true} {
		asked(t, dir, agent.Code, "stumble", prompt)
		if have := asked(t, dir, agent.Verify, "stumble", prompt); strings.Contains(have, `"met":true`) != want {
			t.Errorf("%d: %s", i, have)
		}
	}
}

// What it plans anew, task documents take.
func TestItPlansAnew(t *testing.T) {
	doc, _ := taskdoc.Parse([]byte(taskdoc.Template()))
	prompt := "WORKFLOW RE-PLAN\n\n"
	for _, task := range doc.Tasks() {
		prompt += briefing(task)
	}
	prompt = strings.Replace(prompt, "Description:\nWrite `greeting/README.txt`", "Description:\n```untrusted\nFirst.\n\nWrite\n```\n`greeting/README.txt`", 1)
	var answer struct{ Approach string }
	var plan struct{ Tasks []taskdoc.Revision }
	if err := json.Unmarshal([]byte(asked(t, t.TempDir(), agent.Plan, "", prompt)), &answer); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(answer.Approach), &plan); err != nil {
		t.Fatal(err)
	}
	now, defects := taskdoc.Rewrite(doc, nil, plan.Tasks)
	if len(defects) > 0 || len(now.Tasks()) != 2 {
		t.Fatal(defects)
	}
	for i, want := range []string{"Write `greeting/hello.txt` with one line that greets the reader, as re-planned", "First.\n\nWrite, as re-planned"} {
		was, is := doc.Tasks()[i], now.Tasks()[i]
		if is.Description != want || is.Files[0] != was.Files[0] || len(is.Criteria) != len(was.Criteria) {
			t.Errorf("%+v", is)
		}
	}
}
