//go:build unix

package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"warp/internal/testkit/claude"
	"warp/internal/testkit/messages"
)

// guidedProject is a project with an approved issue of two criteria. The demo agent
// judges the work; the session of the real Claude Code does it.
func guidedProject(t *testing.T, level int) *project {
	t.Helper()
	p := newProject(t, level)
	p.write("test.sh", "for t in tests/*_test.sh; do sh \"$t\" || exit 1; done\n")
	p.write("tests/old_test.sh", "true\n")
	p.write(".claude/issues/42.md", "---\ntitle: Mail\nlabels: req, approved\nstate: open\n---\n- [ ] AC-01: parse mail\n- [ ] AC-02: keep attachments\n")
	p.sh("git rm -q go.mod && git add -A && git commit -q -m 'chore: tests' && git push -q origin main && warp config set agent demo && warp config set test_command 'sh test.sh' && warp config set forge local")
	if level == 2 {
		p.sh("git switch -q -c feature/issue-42-mail")
	}
	return p
}

// awaitEngine waits for the engine of warp next to notice that its session is gone.
func (p *project) awaitEngine() {
	p.t.Helper()
	p.sh(fmt.Sprintf("n=0; while kill -0 %d 2>/dev/null; do n=$((n+1)); [ $n -lt 1200 ] || { echo the engine does not end; exit 1; }; sleep 0.05; done", p.state().Session.PID))
}

// coded is what a model does for a criterion.
func coded(n string) messages.Step {
	return bash(fmt.Sprintf(`printf '# AC-%[1]s\ndemo_ac_%[1]s() { echo AC-%[1]s; }\n' > demo_ac_%[1]s.sh; printf '# AC-%[1]s\n. ./demo_ac_%[1]s.sh\n[ "$(demo_ac_%[1]s)" = AC-%[1]s ]\n' > tests/demo_ac_%[1]s_test.sh`, n))
}

const doneJSON = `warp next --result '{"summary":"both criteria"}'`

// lies are a model that has done half of it, moves the drive, commits by itself and says that
// all is done.
var lies = []messages.Step{coded("01"), bash("warp state transition . code_complete --confirm 'AC-01: x' --confirm 'AC-02: x'"), bash("warp state transition . tests_passed"),
	bash("git add -A && git commit -qm 'feat: all of it'"), bash(doneJSON)}

// The sample of make test lies before it does the work.
func TestARequirementIsDrivenInsideClaudeCode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		level int
		first []messages.Step
		told  string
		end   string
		cost  [2]string
	}{
		{"merged, after lies", 3, lies, "AC-02 is not met", "end        merged", [2]string{`#42 +[23],\d{3} +469`, `3,\d{3} tokens, 4 runs`}},
		{"a pull request", 2, []messages.Step{coded("01")}, "WANTED from you, for #42", "end        pull_request", [2]string{`#42 +1,\d{3} +226`, `1,\d{3} tokens, 2 runs`}},
	} {
		if c.level == 2 && !wholeMatrix() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := guidedProject(t, c.level)
			main := p.sh("git rev-parse main")
			second := messages.Step{Func: func(r messages.Request) messages.Step {
				if s := p.state(); s.Phase == "completed" || s.Metrics.Commits != 0 || p.sh("git rev-parse main") != main {
					t.Errorf("in %s with %d commits", s.Phase, s.Metrics.Commits)
				}
				if !strings.Contains(r.Text(), c.told) {
					t.Errorf("the model was not told %q:\n%s", c.told, r.Text())
				}
				return coded("02")
			}}
			api := messages.Serve(t, messages.Script{"": slices.Concat([]messages.Step{bash("warp next 42")}, c.first, []messages.Step{second, bash(doneJSON), {Text: "Done."}})})
			o := p.options(api, "/warp-drive 42")
			r := claude.Run(t, o)
			if r.Exit != 0 || r.Result == nil || r.Result.Text != "Done." {
				t.Fatalf("exit %d\n%s\n%s", r.Exit, r.Stdout, r.Stderr)
			}
			p.awaitEngine()
			got := last(api)
			if text := got[len(got)-1].Text; !strings.Contains(text, c.end) || !strings.Contains(text, "The drive has ended") {
				t.Fatalf("it ended with\n%s", text)
			}
			s := p.state()
			if s.Phase != "completed" || s.Metrics.Commits != 1 {
				t.Errorf("in %s with %d commits", s.Phase, s.Metrics.Commits)
			}
			if out := p.sh("warp evidence 42"); !strings.Contains(out, "2 of 2 criteria are met") {
				t.Errorf("%s", out)
			}
			if out := p.sh("warp cost; warp evidence 42"); !regexp.MustCompile(c.cost[0]).MatchString(out) || !regexp.MustCompile(c.cost[1]).MatchString(out) || !strings.Contains(out, "in your session") {
				t.Errorf("%s", out)
			}
		})
	}
}

// A model that lies, is lazy, guts the tests or commits by itself reaches no end.
func TestAMisbehavingModelReachesNoEnd(t *testing.T) {
	if !wholeMatrix() {
		t.Skip("the one above lies first, and trial has the others with other agents; make agents has each here")
	}
	t.Parallel()
	for _, c := range []struct {
		name  string
		steps []messages.Step
		told  string
	}{
		{"lazy", []messages.Step{bash("warp next"), bash("warp next"), bash("warp next")}, "empty"},
		{"red tests", []messages.Step{coded("01"), coded("02"), bash("echo false > tests/demo_ac_02_test.sh"), bash(doneJSON)}, "fix what was found"},
		{"gutting tests", []messages.Step{coded("01"), coded("02"), bash("rm tests/old_test.sh; echo true > test.sh"), bash(doneJSON)}, "fix what was found"},
		{"lying, moving the drive and committing itself", lies, "AC-02 is not met"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := guidedProject(t, 3)
			main := p.sh("git rev-parse main")
			api := messages.Serve(t, messages.Script{"": append(append([]messages.Step{bash("warp next 42")}, c.steps...), messages.Step{Text: "Done."}, messages.Step{Text: "Done."})})
			claude.Run(t, p.options(api, "/warp-drive 42"))
			p.awaitEngine()
			if s := p.state(); s.Phase == "completed" || s.Metrics.Commits != 0 {
				t.Errorf("in %s with %d commits", s.Phase, s.Metrics.Commits)
			}
			if now := p.sh("git rev-parse main"); now != main {
				t.Errorf("main moved")
			}
			text := api.Requests()[len(api.Requests())-1].Text()
			if !strings.Contains(text, c.told) {
				t.Errorf("the model was not told %q:\n%s", c.told, text[max(0, len(text)-3000):])
			}
		})
	}
}

// mcpTool calls a tool of warp's MCP server.
func mcpTool(name string, input map[string]any) messages.Step { return use("mcp__warp__"+name, input) }

func TestARequirementIsDrivenByMCPTools(t *testing.T) {
	if !wholeMatrix() {
		t.Skip("TestAPersonFillsTheFormOfTheMCPServer uses the same tools; make agents has this one, without a person")
	}
	t.Parallel()
	p := guidedProject(t, 3)
	p.sh("warp init --mcp")
	tool := mcpTool
	api := messages.Serve(t, messages.Script{"": {
		tool("issue_list", map[string]any{}), tool("issue_show", map[string]any{"issue": 42}), tool("next", map[string]any{"issue": 42}), tool("status", map[string]any{}),
		coded("01"), coded("02"), tool("next", map[string]any{"result": map[string]any{"summary": "both"}}),
		tool("evidence", map[string]any{"issue": 42}), tool("inbox", map[string]any{}), {Text: "Done."}}})
	o := p.options(api, "Work on issue 42")
	o.Permissions = []string{"--permission-mode", "acceptEdits", "--allowedTools", "Bash"}
	r := claude.Run(t, o)
	if r.Exit != 0 || r.Result == nil || r.Result.Text != "Done." || len(r.Result.Denials) > 0 {
		t.Fatalf("exit %d\n%s\n%s", r.Exit, r.Stdout, r.Stderr)
	}
	p.awaitEngine()
	got := last(api)
	for i, want := range []string{"Mail", "AC-02: keep attachments", "WANTED from you, for #42", "Phase: coding", "", "", "end        merged", "2 of 2 criteria are met", ""} {
		if !strings.Contains(got[i].Text, want) {
			t.Errorf("call %d does not say %q:\n%s", i+1, want, got[i].Text)
		}
	}
	if s := p.state(); s.Phase != "completed" || s.Metrics.Commits != 1 {
		t.Errorf("in %s with %d commits", s.Phase, s.Metrics.Commits)
	}
}

// The model may not delete the state by itself. That the user has typed it is heard:
// Claude Code asks once more then, which nobody answers here.
func TestOnlyAPersonResetsAGuidedDrive(t *testing.T) {
	t.Parallel()
	p := guidedProject(t, 3)
	api := messages.Serve(t, messages.Script{"": {bash("warp next 42"), bash("true && warp stop --hard"), bash("warp stop"), {Text: "Stopped."}}})
	claude.Run(t, p.options(api, "/stop-warp-drive reset"))
	got := last(api)
	if !got[1].Error || !strings.Contains(got[2].Text, "interrupted and cleans up") {
		t.Errorf("%+v", got)
	}
	p.awaitEngine()
	if s := p.state(); s.Phase != "completed" {
		t.Errorf("in %s", s.Phase)
	}
	if rows := p.sh("grep slash_command .claude/state/events*.jsonl"); !strings.Contains(rows, `"stop-warp-drive"`) {
		t.Errorf("%s", rows)
	}
}

// A second session in the folder of a living headless drive is told nothing, held to
// nothing and takes nothing over; the drive ends as if it had been alone.
func TestALivingDriveAndASecondSession(t *testing.T) {
	t.Parallel()
	p := guidedProject(t, 3)
	p.write("../agent", `#!/bin/sh
case $WARP_ROLE in
code|fix) touch "`+p.home+`/begun"; until [ -e "`+p.home+`/go" ]; do sleep 0.1; done
	for id in $(echo "$WARP_CRITERIA" | tr , ' '); do echo "$id" > "$id.txt"; done; echo '{"summary":"done"}' > "$WARP_RESULT";;
verify) { echo '{"criteria":['; for id in $(echo "$WARP_CRITERIA" | tr , ' '); do printf '%s{"id":"%s","met":true,"reason":"there is %s.txt"}' "$sep" "$id" "$id"; sep=,; done; echo ']}'; } > "$WARP_RESULT";;
esac
`)
	p.sh(`chmod +x ../agent; warp config set agent_command '["` + p.root + `/../agent"]' && warp config set agent command && warp config set sandbox off`)
	ended := make(chan string)
	go func() {
		out, err := p.try("warp drive 42 > ../out.log 2>&1; cat ../out.log")
		ended <- fmt.Sprintf("%v\n%s", err, out)
	}()
	p.sh("until [ -e " + p.home + "/begun ]; do sleep 0.1; done")
	owner := p.state().Session
	api := messages.Serve(t, messages.Script{"": {bash("git status --short | cat"), bash("warp status"), bash("warp next"), bash("warp state transition . code_complete"), bash("echo mine > ../mine.txt"), {Text: "Done."}}})
	r := claude.Run(t, p.options(api, "What is going on here?"))
	p.sh("touch " + p.home + "/go")
	out := <-ended
	if r.Exit != 0 || r.Result == nil || r.Result.Text != "Done." {
		t.Fatalf("exit %d\n%s\n%s", r.Exit, r.Stdout, r.Stderr)
	}
	for _, q := range api.Requests() {
		if text := q.Text(); q.Step == 0 && strings.Contains(text, "[warp-drive]") {
			t.Errorf("the session was told about the drive: %.500s", text)
		}
	}
	got := last(api)
	if !strings.Contains(got[1].Text, "Phase: coding") || !strings.Contains(got[2].Text, "is already being driven") && !got[2].Error || !got[3].Error || got[4].Error {
		t.Errorf("%+v", got)
	}
	if now := p.state(); now.Session.ClaudeSession != "" || now.Session.PID != owner.PID || !strings.Contains(out, "end        merged") {
		t.Errorf("it ended with %+v\n%s", now.Session, out)
	}
}
