//go:build unix

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"warp/internal/testkit/messages"
)

// disguises are ways to commit while coding. Each is prevented before it runs
// or refused by git, or it is noticed before the next transition.
var disguises = []struct{ name, command string }{
	{"plain", "git commit -am 'feat: x'"},
	{"no-verify", "git commit --no-verify -am 'feat: x'"},
	{"sh -c", "sh -c 'git commit -am \"feat: x\"'"},
	{"nested shells", `bash -c "sh -c 'git commit -am x'"`},
	{"git -C", "git -C . commit -am 'feat: x'"},
	{"an alias", "git config alias.zz 'commit -am x' && git zz"},
	{"an inline alias", "git -c alias.zz='commit -am x' zz"},
	{"a shell alias", "g=git; $g commit -am x"},
	{"hooksPath", "git -c core.hooksPath=/dev/null commit -am x"},
	{"GIT_CONFIG_COUNT", "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null git commit -am x"},
	{"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_PARAMETERS=\"'core.hooksPath'='/dev/null'\" git commit -am x"},
	{"plumbing", "git add -A && git update-ref HEAD $(git commit-tree -p HEAD -m x $(git write-tree))"},
	{"eval", `c="git commit -am x"; eval "$c"`},
	{"a script file", "printf 'git commit -am x\\n' > zz.sh; sh zz.sh"},
	{"a pipe into a shell", "echo 'git commit -am x' | sh"},
	{"base64", "echo Z2l0IGNvbW1pdCAtYW0geA== | base64 -d | sh"},
	{"quotes", `g"i"t com\mit -am x`},
	{"xargs", "echo -am x | xargs git commit"},
	{"a function", "f() { git commit -am x; }; f"},
	{"a hand-written ref", "git rev-parse main~1 > .git/refs/heads/feature/issue-42-mail"},
	{"fast-import", "printf 'commit refs/heads/feature/issue-42-mail\\ncommitter t <t@e> 0 +0000\\ndata 1\\nx\\n' | git fast-import"},
	{"cherry-pick", "git cherry-pick main~1"},
	{"force push", "git push --force origin HEAD"},
	{"force push by refspec", "git push origin +HEAD:main"},
	{"reset --hard", "git reset --hard HEAD~1"},
	{"hook removed", "rm .git/hooks/reference-transaction && git commit -am x"},
	{"hook not executable", "chmod -x .git/hooks/reference-transaction; git commit -am x"},
}

func TestDisguisedCommitsArePreventedInClaudeCode(t *testing.T) {
	p := coding(t)
	p.write("go.mod", "module x\n\ngo 1.26\n")
	var steps []messages.Step
	for _, d := range disguises {
		steps = append(steps, bash(d.command))
	}
	refs := p.sh("git for-each-ref; git rev-parse HEAD; git -C " + p.remote + " for-each-ref")
	api := messages.Serve(t, messages.Script{"x": append(steps, messages.Step{Text: "Done."})})
	r := p.run(api, "[[scenario:x]]")
	results := last(api)
	if len(results) != len(disguises) || r.Result.Text != "Done." {
		t.Fatalf("%d results of %d", len(results), len(disguises))
	}
	for i, d := range disguises {
		if !results[i].Error || !strings.Contains(results[i].Text, "[warp-drive]") && !strings.Contains(results[i].Text, "denied") {
			t.Errorf("%s was not denied: %.300s", d.name, results[i].Text)
		} else {
			t.Logf("%-24s denied: %.120s", d.name, strings.ReplaceAll(results[i].Text, "\n", " "))
		}
	}
	if now := p.sh("git for-each-ref; git rev-parse HEAD; git -C " + p.remote + " for-each-ref"); now != refs {
		t.Errorf("something moved:\n%s\nwas:\n%s", now, refs)
	}
	if s := p.state(); s.Phase != "coding" || s.Frozen != nil {
		t.Errorf("in %s, frozen %+v", s.Phase, s.Frozen)
	}
}

// What no parser can see through is stopped by git's own hook, or noticed. The sample of
// make test has each once.
func TestWhatTheParserCannotSeeIsStoppedOrNoticed(t *testing.T) {
	const node = "const run = (...a) => require('child_process').spawnSync('g'+'it', a, {encoding: 'utf8'}).stdout\n"
	for i, c := range []struct{ name, file, text, command, want string }{
		{"a program and a Makefile that commit", "zz.js", node + "run('com'+'mit', '-qam', 'feat: x')\n", "node zz.js; make all", "refused by git"},
		{"a program that goes around the hook", "zz.js", node + "run('-c', 'core.hooks'+'Path=/dev/null', 'com'+'mit', '-qam', 'feat: x')\n", "node zz.js", "frozen"},
		{"a program that writes the ref", "zz.js", node + "const c = run('com'+'mit-tree', '-p', 'HEAD', '-m', 'x', 'HEAD^{tree}')\nrequire('fs').writeFileSync('.g'+'it/re'+'fs/heads/feature/issue-42-mail', c)\n", "node zz.js", "frozen"},
	} {
		if i > 1 && !wholeMatrix() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := coding(t)
			p.write(c.file, c.text)
			p.write("Makefile", "all:\n\tgit commit -qam 'feat: x'\n")
			p.write("go.mod", "module x\n\ngo 1.26\n")
			head := p.sh("git rev-parse HEAD")
			api := messages.Serve(t, messages.Script{"x": {bash(c.command), bash("warp state transition . code_complete"), bash("warp state transition . code_complete --confirm 'AC-01: x'"), {Text: "Done."}}})
			p.run(api, "[[scenario:x]]")
			text := api.Requests()[len(api.Requests())-1].Text()
			switch now := p.sh("git rev-parse HEAD"); {
			case c.want == "frozen" && (now == head || p.state().Frozen == nil || p.state().Phase != "coding" || !strings.Contains(text, "unseen by the guards")):
				t.Errorf("not noticed: head moved %v, frozen %+v, in %s", now != head, p.state().Frozen, p.state().Phase)
			case c.want != "frozen" && (now != head || p.state().Frozen != nil):
				t.Errorf("not refused: %s\n%s", now, text[max(0, len(text)-800):])
			}
		})
	}
}

// harmless commands merely mention what is guarded.
var harmless = []string{
	`echo "git commit -m x"`, `grep -rn "git commit" . || true`, "git log --grep=commit", "git help commit > /dev/null || true",
	"cat <<'EOF'\ngit commit -m x\nEOF", "true # git commit", `printf '%s\n' 'run git commit'`, "git config --get alias.ci || true",
	"git show --stat HEAD", `sed -n 's/git commit/x/p' go.mod`, `x="git commit"; echo "$x"`, "git commit --dry-run || true",
	"git stash list", "go version # then git push --force", `awk '/git commit/ {print}' go.mod`, "git diff | cat", "git branch --list", "ls .git/hooks",
}

func TestHarmlessCommandsAreLetThroughInClaudeCode(t *testing.T) {
	p := coding(t)
	var steps []messages.Step
	for _, h := range harmless {
		steps = append(steps, bash(h))
	}
	api := messages.Serve(t, messages.Script{"x": append(steps, messages.Step{Text: "Done."})})
	r := p.run(api, "[[scenario:x]]")
	results := last(api)
	if len(results) != len(harmless) {
		t.Fatalf("%d results of %d", len(results), len(harmless))
	}
	for i, h := range harmless {
		if results[i].Error {
			t.Errorf("%s: %s", h, results[i].Text)
		}
	}
	if len(r.Result.Denials) != 0 {
		t.Errorf("denied: %+v", r.Result.Denials)
	}
}

func TestEverythingElseThatHappensIsRecorded(t *testing.T) {
	p := coding(t)
	agent := messages.Step{Tools: []messages.Tool{{Name: "Agent", Input: map[string]any{
		"description": "Audit auth", "prompt": "[[scenario:sub]] look", "subagent_type": "general-purpose", "run_in_background": false}}}}
	findings := "```json\n{\"findings\":[{\"severity\":\"S1\",\"category\":\"security\",\"title\":\"No rate limit\",\"details\":\"d\",\"recommendation\":\"r\"}]}\n```"
	looked := make(chan struct{})
	api := messages.Serve(t, messages.Script{
		"x": {
			{Tools: []messages.Tool{{Name: "Read", Input: map[string]any{"file_path": p.root + "/missing.txt"}}}},
			bash("node -e \"require('http').get('http://127.0.0.1:9/').on('error', e => { console.error(String(e)); process.exit(1) })\""),
			agent,
			bash("echo large"),
			{Tools: bash("echo larger").Tools, Usage: messages.Usage{Input: 95_000, Output: 100}, Pause: looked},
			bash("echo after"),
			{Text: "Done."},
		},
		"sub": {{Tools: []messages.Tool{{Name: "Read", Input: map[string]any{"file_path": p.root + "/go.mod"}}}}, {Text: findings}},
	})
	o := p.options(api, "[[scenario:x]] implement user authentication")
	o.Env = append(o.Env, "CLAUDE_CODE_AUTO_COMPACT_WINDOW=100000")
	run := start(t, o)
	api.Await("x", 3)
	result := p.sh("cat .claude/state/agents/results/*.json")
	for _, want := range []string{`"task": "Audit auth"`, `"type": "general-purpose"`, `"No rate limit"`, `"status": "success"`} {
		if !strings.Contains(result, want) {
			t.Errorf("the subagent's result lacks %s:\n%s", want, result)
		}
	}
	errors := p.sh("cat .claude/state/errors/classified.json")
	if !strings.Contains(errors, `"classification": "network"`) || !strings.Contains(errors, `"next_retry": "20`) {
		t.Errorf("the failing tool is not classified:\n%s", errors)
	}
	close(looked)
	if r := run.Wait(); r.Exit != 0 {
		t.Fatalf("exit %d\n%s\n%s", r.Exit, r.Stdout, r.Stderr)
	}
	compacted := false
	for _, q := range api.Requests() {
		compacted = compacted || q.Compact
	}
	if !compacted {
		t.Fatal("nothing was compacted")
	}
	text := api.Requests()[len(api.Requests())-1].Text()
	if !strings.Contains(text, "[warp-drive] phase: coding") {
		t.Error("after the compaction the model does not know where the drive is")
	}
	var told bool
	for _, q := range api.Requests() {
		told = told || q.Scenario == "x" && strings.Contains(q.Text(), "No rate limit") && strings.Contains(q.Text(), "S1")
	}
	if !told {
		t.Error("the findings were not offered to the parent")
	}
	if out := p.sh("ls .claude/state/compaction; cat .claude/state/compaction/*.json"); !strings.Contains(out, "backup_") || !strings.Contains(out, `"reason": "context_limit_approaching"`) || !strings.Contains(out, `"context_tokens_before": 95000`) {
		t.Errorf("the backup:\n%s", out)
	}
	metrics := p.sh("warp telemetry metrics --json")
	for _, want := range []string{`"spawned": 1`, `"completed": 1`, `"issues_found": 1`} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics lack %s:\n%s", want, metrics)
		}
	}
	fmt.Fprintln(t.Output(), p.sh("warp telemetry"))
}
