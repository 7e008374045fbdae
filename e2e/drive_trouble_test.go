//go:build unix

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"warp/internal/engine/person"
	"warp/internal/testkit/messages"
	"warp/internal/turnstile"
)

// one is an issue of one chunk, which needs no plan.
const one = "- [ ] AC-01: last(s) returns the last character\n- [ ] AC-02: empty(s) tells whether s is empty\n"

// whole does the issue in one run; the first step is given.
func whole(root string, first messages.Step) messages.Script {
	return messages.Script{
		"code-AC-01": after(done("Done."), write(root+"/begun.md", "begun\n"), first, write(root+"/text.js", second),
			write(root+"/text.test.js", "const assert = require('assert')\nconst t = require('./text.js')\n"+secondTest)),
		"verify-AC-01": met("AC-01", "AC-02"),
	}
}

const mergedOnce = "feat: Text tools (#1)\nchore: warp\nchore: begin"

// A usage limit in the middle of a run is waited for, and the same session goes
// on. It costs the chunk nothing.
func TestALimitOfClaudeCodeIsWaitedFor(t *testing.T) {
	t.Parallel()
	h := drives(t, one, withInit)
	ends := sync.OnceValue(func() string { return fmt.Sprint(time.Now().Add(4 * time.Second).Unix()) })
	limit := messages.Step{Func: func(messages.Request) messages.Step {
		if len(h.calls()) > 1 {
			return bash("true")
		}
		at := ends()
		return messages.Step{Fail: &messages.Fail{Status: 429, Type: "rate_limit_error", Message: "too much", Header: map[string]string{
			"anthropic-ratelimit-unified-status": "rejected", "anthropic-ratelimit-unified-reset": at,
			"anthropic-ratelimit-unified-5h-status": "rejected", "anthropic-ratelimit-unified-5h-reset": at,
			"anthropic-ratelimit-unified-representative-claim": "five_hour"}}}
	}}
	api := messages.ServePicked(t, role, whole(h.root, limit))
	h.claude(api.URL, "ANTHROPIC_API_KEY=", "CLAUDE_CODE_OAUTH_TOKEN=none") // only a subscription has such limits
	out := h.run(0, "drive", "1", "--level", "3")
	if !strings.Contains(out, "claude: usage limit") {
		t.Errorf("nobody was told what is waited for:\n%s", out)
	}
	calls := h.calls()
	if len(calls) != 3 || calls[1][0] != "code" || flag(calls[1], "--resume") == "" || flag(calls[0], "--resume") != "" || flag(calls[2], "--resume") != "" {
		t.Fatalf("called as %q", calls)
	}
	if text := api.Await("code-AC-01", 2).Text(); strings.Count(text, "implement these acceptance criteria") != 2 {
		t.Error("it was not the same session that went on")
	}
	if log := h.sh("git log --format=%s main"); log != mergedOnce {
		t.Errorf("merged:\n%s", log)
	}
	if s := h.state(); s.Budgets.RetryCount != 0 {
		t.Errorf("the limit was counted: %+v", s.Budgets)
	}
}

// Killed in the middle of a run, warp leaves a Claude Code behind that goes on
// alone. The next start ends it before it begins, and nothing is done twice.
func TestADriveOfClaudeCodeIsResumedAfterAKill(t *testing.T) {
	t.Parallel()
	h := drives(t, one, withInit)
	killed := make(chan struct{})
	hold := messages.Step{Func: func(messages.Request) messages.Step {
		select {
		case <-killed:
			return bash("true")
		default:
			return messages.Step{Pause: make(chan struct{})}
		}
	}}
	api := messages.ServePicked(t, role, whole(h.root, hold))
	h.claude(api.URL)
	w := h.start("drive", "1", "--level", "3", "--max-cost", "5")
	api.Await("code-AC-01", 1)
	owner := turnstile.OwnerOf(h.state())
	w.kill()
	if s := h.state(); !s.Session.Headless || turnstile.OwnerOf(s) != owner || owner.Session != "" {
		t.Errorf("after the kill the drive belongs to %+v, before to %+v", turnstile.OwnerOf(s), owner)
	}
	close(killed)
	token, err := person.Token(filepath.Join(h.home, ".local", "state", "warp"), false) // an agent of the killed one may live for a moment
	if err != nil {
		t.Fatal(err)
	}
	h.env = append(h.env, person.Variable+"="+token)
	out := h.run(0, "resume", "--max-cost", "5")
	if !strings.Contains(out, "left over from a killed drive") || !strings.Contains(out, "Resuming #1 in phase coding") {
		t.Errorf("what was found was not told:\n%s", out)
	}
	if log := h.sh("git log --format=%s main; git -C " + h.remote + " log --format=%s main; ls .claude/issues"); log != mergedOnce+"\n"+mergedOnce+"\n1.md" {
		t.Errorf("merged, filed:\n%s", log)
	}
	if a := h.evidence(); a.Cost.Runs != 3 || a.Cost.Unpriced != 1 || a.Cost.MicroUSD == 0 || !a.Criteria[0].Met {
		t.Errorf("%+v", a)
	}
}

// Interrupted, warp ends Claude Code, keeps what there is and says so.
func TestADriveOfClaudeCodeIsInterrupted(t *testing.T) {
	t.Parallel()
	h := drives(t, one, withInit)
	api := messages.ServePicked(t, role, whole(h.root, messages.Step{Pause: make(chan struct{})}))
	h.claude(api.URL)
	w := h.start("drive", "1", "--level", "3")
	api.Await("code-AC-01", 1)
	if err := w.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	code, out := w.wait()
	h.nothingLeft()
	log := h.sh("git log --format=%s feature/issue-1-text-tools; git show --format= --name-only feature/issue-1-text-tools; git branch --show-current; git status --porcelain")
	if code != 130 || log != "wip: #1 chunk 1, stopped\nchore: warp\nchore: begin\nbegun.md\nmain\n?? .claude/issues/" {
		t.Errorf("exit %d\n%s\n%s", code, log, out)
	}
	if issue := h.sh("cat .claude/issues/1.md"); strings.Contains(issue, "[x]") || !strings.Contains(issue, "Not done: it was stopped.") {
		t.Errorf("the issue and the report:\n%s", issue)
	}
}
