//go:build unix

package e2e

import (
	"strings"
	"testing"

	"warp/internal/core/drivestate"
	"warp/internal/testkit/messages"
)

// A person says /warp-drive 42; the model is scripted, everything else is real.
func TestAWholeDriveInsideClaudeCode(t *testing.T) {
	p := newProject(t, 3)
	p.sh("warp config set report_as issue") // its issues are in git: a comment after the commit would be one more change
	chunk := func(n, id, file string, more ...messages.Step) []messages.Step {
		steps := []messages.Step{
			write(p.root+"/"+file, "package x\n"),
			bash("git add " + file + " && git commit -m 'feat: too early'"),
			bash("warp state transition . code_complete"),
			bash("warp state transition . code_complete --confirm '" + id + ": the file is there'"),
			bash("warp issue check 42 " + id),
			bash("warp state transition . tests_passed"),
			bash("warp state transition . tests_passed --confirm '" + id + ": go vet passes'"),
			bash("git add " + file + " .claude/issues/42.md && git commit -m 'feat(mail): " + id + "'"), // the ticked box goes with it
			bash(trailer(n)),
			bash("warp state transition . report_filed"), // nothing was filed
			bash("warp state file . report"),
			bash("warp state transition . report_filed"),
		}
		return append(steps, more...)
	}
	var steps []messages.Step
	steps = append(steps,
		bash("warp state inject ."),
		bash("warp state init . --issue 42"),
		bash("warp state transition . prerequisites_ok"),
		write(p.root+"/early.go", "package x\n"), // on main
		bash("git switch -q -c feature/issue-42-mail"),
		bash("warp state transition . work_selected"),
		bash("warp issue criteria 42"), // in planning
		bash("warp state transition . plan_ready"),
		bash(`warp state transition . chunks_defined --data '{"chunks":[["AC-01"],["AC-02"]]}'`),
	)
	steps = append(steps, chunk("1/2", "AC-01", "a.go", bash("warp state transition . next_chunk"))...)
	steps = append(steps, chunk("2/2", "AC-02", "b.go",
		bash("warp state transition . requirement_done"),
		bash("warp state transition . requirement_done --confirm 'AC-01: seen' --confirm 'AC-02: seen'"))...)
	steps = append(steps,
		bash("warp state transition . merge_ready"),
		bash("git fetch -q origin && git rebase -q origin/main && git switch -q main && git merge -q --ff-only feature/issue-42-mail && git push -q origin main"),
		bash("warp state transition . merged"),
		bash("warp state transition . continue_no"),
		bash("warp state file . summary"),
		bash("warp issue close 42"),
		bash("warp state transition . session_ended"),
		messages.Step{Text: "All done."},
	)
	api := messages.Serve(t, messages.Script{"": steps})
	r := p.run(api, "/warp-drive 42")
	s := p.state()
	if s.Phase != drivestate.Completed || r.Result.Text != "All done." {
		for i, got := range last(api) {
			t.Logf("%d: %v %.300s", i, got.Error, got.Text)
		}
		t.Fatalf("in %s: %s", s.Phase, r.Result.Text)
	}
	if s.Session.ClaudeSession != r.SessionID || len(s.CommitHashes) != 2 || s.Metrics.Commits != 2 || s.Metrics.ChunksCompleted != 2 {
		t.Errorf("owner %q, commits %v, metrics %+v", s.Session.ClaudeSession, s.CommitHashes, s.Metrics)
	}
	if n := len(r.Result.Denials); n != 8 { // a file on main, two commits too early, and five events before their criteria were read again
		t.Errorf("%d denials: %+v", n, r.Result.Denials)
	}
	if log := p.sh("git -C " + p.remote + " log --format=%s main"); log != "feat(mail): AC-02\nfeat(mail): AC-01\nchore: warp\nchore: begin" {
		t.Errorf("merged:\n%s", log)
	}
	text := api.Requests()[len(api.Requests())-1].Text()
	for _, want := range []string{"AC-01: parse mail", "only allowed during committing phase", "Must not be on main/master", "committing -> reporting", "updating_docs -> testing", "lacks the trailer", "the tracker has no report of chunk 1"} {
		if !strings.Contains(text, want) {
			t.Errorf("the model never read %q", want)
		}
	}
	if out := p.sh("warp telemetry session --json"); !strings.Contains(out, `"warp-drive"`) || !strings.Contains(out, `"a.go"`) || !strings.Contains(out, `"end_reason": "other"`) {
		t.Errorf("recorded:\n%s", out)
	}
}

// trailer puts the drive's trailer on the last commit, as the hook says.
func trailer(chunk string) string {
	return `epoch=$(jq .session.started_at_epoch .claude/.warp-drive-state.json); git commit -q --amend --no-edit --trailer "Warp-Drive: #42 chunk ` + chunk + ` session $epoch"`
}

func TestTheContextArrivesAndStopWaitsForTheReport(t *testing.T) {
	p := coding(t)
	p.write("a.go", "package x\n")
	p.sh(`warp state transition . code_complete && warp issue check 42 AC-01 && warp state transition . docs_updated && warp state transition . tests_passed
		git add a.go && git commit -q -m 'feat: a'; ` + trailer("1/2") + `; warp state transition . committed`)
	api := messages.Serve(t, messages.Script{"x": {{Text: "I stop here."}, {Text: "Really."}}})
	r := p.run(api, "[[scenario:x]] go on")
	if first := api.Await("x", 0).Text(); !strings.Contains(first, "[warp-drive] phase: reporting") || !strings.Contains(first, "report_filed (to chunk_complete)") {
		t.Error("the phase's context did not arrive with the first request")
	}
	if second := api.Await("x", 1).Text(); !strings.Contains(second, "the report is missing") {
		t.Error("the session could stop before the report")
	}
	if n := len(api.Requests()); n != 2 || r.Result.Text != "Really." {
		t.Errorf("%d requests, the last said %q: it was not let go", n, r.Result.Text)
	}
	stop := `printf '{"hook_event_name":"Stop","session_id":"` + r.SessionID + `","cwd":"%s","stop_hook_active":false}' "$PWD" | warp-hook Stop`
	if out := p.sh(stop); !strings.Contains(out, "the report is missing") {
		t.Errorf("a hook that is asked as Claude Code asks it does not hold the session: %q", out)
	}
	p.sh("warp state file . report && warp state transition . report_filed")
	if out := p.sh(stop); strings.Contains(out, "block") {
		t.Errorf("held although the report is filed: %s", out)
	}
}

// A session that is killed ends nothing: the next one that starts takes its drive over, and
// closes and counts it.
func TestAKilledSessionIsPickedUpAndCounted(t *testing.T) {
	p := coding(t)
	api := messages.Serve(t, messages.Script{
		"first":  {write(p.root+"/a.go", "package x\n"), bash("no-such-program"), {Pause: make(chan struct{})}},
		"second": {bash("git commit -am 'feat: x'"), {Text: "Resumed."}},
	})
	o := p.options(api, "[[scenario:first]]")
	run := start(t, o)
	api.Await("first", 2)
	owner := p.state().Session.ClaudeSession
	run.Kill()
	killed := run.Wait()
	if owner == "" || owner != killed.SessionID {
		t.Fatalf("the drive belongs to %q, the session was %q", owner, killed.SessionID)
	}
	if out, err := p.try("warp status"); err != nil || !strings.Contains(out, "ACTIVE (stale)") {
		t.Errorf("after the kill: %v\n%s", err, out)
	}
	if got := p.sh("warp doctor telemetry || true"); !strings.Contains(got, "the session "+owner+" died") {
		t.Errorf("doctor does not see it:\n%s", got)
	}
	r := p.run(api, "[[scenario:second]] open again")
	if text := api.Await("second", 0).Text(); !strings.Contains(text, "phase: coding") || !strings.Contains(text, "stale") {
		t.Error("the next session was not told where it is")
	}
	if p.state().Session.ClaudeSession != r.SessionID || len(r.Result.Denials) != 1 {
		t.Errorf("not adopted: %q, %d denials", p.state().Session.ClaudeSession, len(r.Result.Denials))
	}
	if got := p.sh(`warp telemetry metrics --json | jq -c '[.sessions[] | [.session_id == "` + owner + `", .end_reason, .errors.total]]'`); got != `[[true,"died",1],[false,null,0]]` {
		t.Errorf("the metrics: %s", got)
	}
}

func TestASecondSessionIsNotDisturbed(t *testing.T) {
	if !wholeMatrix() {
		t.Skip("TestALivingDriveAndASecondSession has a second session beside the engine's own; make agents has one beside a person's")
	}
	p := coding(t)
	hold := make(chan struct{})
	api := messages.Serve(t, messages.Script{
		"owner":  {bash("echo begun"), {Pause: hold}, {Text: "Owner done."}},
		"second": {bash("git commit --allow-empty -m x; true"), write(p.root+"/.claude-notes", "x"), {Text: "Second done."}},
	})
	run := start(t, p.options(api, "[[scenario:owner]]"))
	api.Await("owner", 1)
	first := p.state().Session.ClaudeSession
	r := p.run(api, "[[scenario:second]]")
	if len(r.Result.Denials) != 0 || r.Result.Text != "Second done." {
		t.Errorf("denied: %+v\n%+v", r.Result.Denials, last(api))
	}
	for _, q := range api.Requests() {
		if q.Scenario == "second" && strings.Contains(q.Text(), "[warp-drive] phase") {
			t.Error("the drive was told to a session that does not own it")
		}
	}
	if got := p.state().Session.ClaudeSession; got != first || first == "" {
		t.Errorf("the drive went from %q to %q", first, got)
	}
	close(hold)
	if r := run.Wait(); r.Exit != 0 {
		t.Errorf("the owner ended with %d", r.Exit)
	}
	// Git cannot tell sessions apart: the branch itself is guarded for everybody.
	if s := p.state(); s.Frozen != nil {
		t.Errorf("frozen by a commit that git refused: %+v", s.Frozen)
	}
}
