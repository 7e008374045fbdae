//go:build unix

package e2e

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"warp/internal/testkit/claude"
	"warp/internal/testkit/messages"
)

// A person says /quality-loop, /pipeline, /sessions and /workflow; what the model is told to run may be run
// without asking, and its agents are the demo agent. The sample of make test says the first;
// WARP_MATRIX has each.
func TestLoopAndWorkflowInsideClaudeCode(t *testing.T) {
	t.Parallel()
	p := newProject(t, 3)
	// Not Go: its checks would compile the standard library in the new home.
	p.sh("git mv go.mod words.mod && git commit -q -m 'chore: no code' && git push -q origin main && warp config set agent demo && warp config set test_command 'test -e words.mod'")
	p.write("../words.md", "# Words\n\n## Goal\nOne file.\n\n### Phase 1: All\n#### Task 1.1: Write it\nFiles: words.txt\n- [ ] It is there: `test -s words.txt`\n")
	for _, c := range []struct {
		prompt, told string
		steps        []messages.Step
		shown        []string // by the last call
	}{
		{`/quality-loop "tidy up the words" --reset --pause-on S0 --max-iterations 3`, "between single quotes", []messages.Step{
			bash("warp loop 'tidy up the words' --until gates --detach --reset --pause-on S0 --max-iterations 3"),
			bash("warp sessions tail tidy-up-the-words"),
			look(p.root + "/.claude/state/loop/LOOP_STATE.md"),
		}, []string{"## Quality Gates", `Task: "tidy up the words"`, "Status: COMPLETE"}},
		{`/pipeline debate "SQLite or files?"`, "between single quotes", []messages.Step{
			bash("warp pipeline list"),
			bash("warp pipeline run debate storage 'SQLite or files?' --dry-run"),
			bash("warp pipeline run debate storage 'SQLite or files?'"),
			bash("warp sessions show storage"),
			look(p.root + "/.claude/pipeline-runs/storage/stage-4-decision/output.md"),
		}, []string{"storage stage-4-decision, pass 1"}},
		{"/sessions storage", "warp sessions show NAME", []messages.Step{
			bash("warp sessions list"),
			bash("warp sessions tail --no-follow storage"),
			bash("warp sessions show storage"),
		}, []string{"complete", "decision"}},
		{"/workflow ../words.md", "warp workflow lint FILE", []messages.Step{
			bash("warp workflow lint ../words.md"),
			bash("warp workflow plan ../words.md"),
			bash("warp workflow run ../words.md --yes"),
			bash("warp workflow status"),
		}, []string{"completed: 1 of 1 tasks", "1.1 Write it"}},
	} {
		allowed(t, c.prompt, c.steps)
		if !strings.HasPrefix(c.prompt, "/quality-loop ") && !wholeMatrix() {
			continue
		}
		api := messages.Serve(t, messages.Script{"": append(c.steps, messages.Step{Text: "Done."})})
		o := p.options(api, c.prompt)
		o.Permissions = []string{}
		r := claude.Run(t, o)
		if r.Exit != 0 || r.Result == nil || r.Result.Text != "Done." || len(r.Result.Denials) > 0 {
			t.Fatalf("%s: exit %d\n%s\n%s", c.prompt, r.Exit, r.Stdout, r.Stderr)
		}
		_, args, _ := strings.Cut(c.prompt, " ")
		if text := api.Requests()[0].Text(); !strings.Contains(text, c.told) || !strings.Contains(text, ": "+args) {
			t.Errorf("%s: the model was told\n%s", c.prompt, text)
		}
		got := last(api)
		for _, want := range c.shown {
			if text := got[len(got)-1].Text; !strings.Contains(text, want) {
				t.Errorf("%s: the model did not see %q\n%+v", c.prompt, want, got)
			}
		}
	}
}

// allowed wants a command of the plugin to grant each program that its steps run.
func allowed(t *testing.T, prompt string, steps []messages.Step) {
	t.Helper()
	name, _, _ := strings.Cut(strings.TrimPrefix(prompt, "/"), " ")
	text, err := os.ReadFile("../plugin/commands/" + name + ".md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		command, _ := s.Tools[0].Input["command"].(string)
		granted := s.Tools[0].Name == "Read"
		for _, rule := range regexp.MustCompile(`Bash\(([^:)]+):\*\)`).FindAllStringSubmatch(string(text), -1) {
			granted = granted || command == rule[1] || strings.HasPrefix(command, rule[1]+" ")
		}
		if !granted {
			t.Errorf("/%s does not allow %q", name, command)
		}
	}
}
