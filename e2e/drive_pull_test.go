//go:build unix

package e2e

import (
	"slices"
	"strings"
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/testkit/messages"
)

// ticks checks every box off, in a way that Claude Code does not see through.
const ticks = `node -e "const fs = require('fs'), f = '.cl' + 'aude/issues/1.md'; fs.writeFileSync(f, fs.readFileSync(f, 'utf8').replaceAll('[ ]', '[x]'))"`

// At level 2, in a repository that warp init has never seen: no hook holds the
// agent back, but its sandbox does.
func TestClaudeCodeIsDrivenToAPullRequest(t *testing.T) {
	t.Parallel()
	h := drives(t, one, "")
	h.write("mine.txt", "nobody's but mine\n")
	script := whole(h.root, bash("git add -A && git commit -m 'feat: by myself'"))
	script["code-AC-01"] = slices.Insert(script["code-AC-01"], 2, bash("warp state transition . code_complete --confirm 'AC-01: x' --confirm 'AC-02: y'"), bash(ticks), bash("rm begun.md"))
	api := messages.ServePicked(t, role, script)
	h.claude(api.URL)
	h.sh("git switch -q -c feature/mine")
	h.run(0, "drive", "1", "--level", "2")

	log := h.sh("git -C " + h.remote + " log --format=%s feature/mine; git log --format=%s main; git branch --show-current; git status --porcelain")
	if log != "feat: Text tools (#1)\nchore: begin\nchore: begin\nfeature/mine\n?? .claude/\n?? mine.txt" {
		t.Errorf("pushed:\n%s", log)
	}
	if pull := h.sh("cat .claude/pulls/*.md"); !strings.Contains(pull, "Closes #1") || !strings.Contains(pull, "feature/mine") || !strings.Contains(pull, "AC-02") {
		t.Errorf("the pull request:\n%s", pull)
	}
	if issue := h.sh("cat .claude/issues/1.md"); !strings.Contains(issue, "state: open") || strings.Contains(issue, "[ ]") {
		t.Errorf("the issue:\n%s", issue)
	}
	proven(t, h, evidence.Pull, 2, 2)
	var what []string
	for _, i := range h.evidence().Interventions {
		what = append(what, i.What)
	}
	if len(what) > 0 || h.evidence().Contained != "contained" {
		t.Errorf("%s, taken back: %+v", h.evidence().Contained, h.evidence().Interventions)
	}
	if told := api.Await("code-AC-01", 5).ToolResults(); !told[1].Error || !told[2].Error || !told[3].Error {
		t.Errorf("the commit, the transition and the boxes: %+v", told)
	}
}

// mayIAdd is what an agent cannot decide.
var mayIAdd = answer(map[string]any{"decision": map[string]any{"question": "May I add left-pad?", "options": []any{"yes", "no"}, "default": "no"}})

// wantFiled wants it to be filed for a person.
func (h *headless) wantFiled(result evidence.Result) {
	h.t.Helper()
	a := h.evidence()
	if a.Outcome.Result != result || len(a.Decisions) != 1 || a.Decisions[0].Question != "May I add left-pad?" || a.Decisions[0].Default != "no" || a.Decisions[0].Answer != "" {
		h.t.Errorf("%+v, decisions %+v", a.Outcome, a.Decisions)
	}
	if todo := h.sh("grep -l '^labels:.*todo' .claude/issues/*.md | xargs cat"); !strings.Contains(todo, "May I add left-pad?") || !strings.Contains(todo, "yes") {
		h.t.Errorf("the todo:\n%s", todo)
	}
}

// What an agent cannot decide is filed for a person.
func TestAQuestionOfClaudeCodeIsFiled(t *testing.T) {
	t.Parallel()
	h := drives(t, one, withInit)
	h.sh("warp config set unattended give_up")
	api := messages.ServePicked(t, role, messages.Script{"code-AC-01": mayIAdd})
	h.claude(api.URL)
	h.run(1, "drive", "1", "--level", "3")
	h.wantFiled(evidence.Failed)
	if issue := h.sh("cat .claude/issues/1.md; git log --format=%s main"); strings.Contains(issue, "[x]") || !strings.Contains(issue, "state: open") || !strings.HasSuffix(issue, "chore: warp\nchore: begin") {
		t.Errorf("the issue and main:\n%s", issue)
	}
}

// The rest of the issue is done.
func TestAQuestionOfClaudeCodeLeavesTheRest(t *testing.T) {
	if !wholeMatrix() {
		t.Skip("TestANightOfSevenIssues goes on after a question; make agents has Claude Code do it")
	}
	t.Parallel()
	h := drives(t, issueBody, withInit)
	script := model(h.root)
	h.sh("warp config set unattended give_up")
	script["code-AC-01"] = mayIAdd
	script["code-AC-03"] = after(done("The rest."), write(h.root+"/text.js", second),
		write(h.root+"/text.test.js", "const assert = require('assert')\nconst t = require('./text.js')\n"+secondTest))
	api := messages.ServePicked(t, role, script)
	h.claude(api.URL)
	h.run(3, "drive", "1", "--level", "3")
	h.wantFiled(evidence.Partly)
	if issue := h.sh("cat .claude/issues/1.md"); !strings.Contains(issue, "[ ] AC-01") || !strings.Contains(issue, "[ ] AC-02") || !strings.Contains(issue, "[x] AC-03") || !strings.Contains(issue, "state: open") {
		t.Errorf("the issue:\n%s", issue)
	}
	if log := h.sh("git log --format=%s feature/issue-1-text-tools ^main; git log --format=%s main"); log != "feat: Text tools (#1, part 2 of 2)\nchore: warp\nchore: begin" {
		t.Errorf("the branches:\n%s", log)
	}
}
