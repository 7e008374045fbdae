package doctor

import (
	"fmt"

	"warp/internal/cli/tracker"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/gate"
	"warp/internal/engine/policy/drive"
)

// tests runs the tests as a drive does at its start, on the committed files. It does not repeat
// a run on the same files that is in the journal.
func tests(x exam) []Finding {
	s, err := x.drive.Project.Settings()
	if err != nil {
		return nil // another check reports it
	}
	if !s.TestBeforeCommit {
		return []Finding{warning("tests", "not run: test_before_commit is false", "warp config set test_before_commit true")}
	}
	t, err := tracker.Open(x.ctx, x.app, x.drive)
	if err != nil {
		return nil // another check reports it
	}
	e, err := x.engine(t)
	if err != nil {
		return nil // another check reports it
	}
	p, err := drive.NewProver(x.ctx, e)
	if err != nil {
		return []Finding{problem("tests", err.Error(), "")}
	}
	command, last, err := p.FindTested(x.ctx)
	switch {
	case err != nil:
		return []Finding{problem("tests", err.Error(), "")}
	case last != nil:
		return []Finding{judgeTested(last.Row, ", as the journal has it")}
	case x.quick:
		return []Finding{warning("tests", command+" was not run (--quick)", "warp doctor runs it")}
	}
	x.tell("running the tests: " + command + " (--quick skips them)")
	r, err := p.TestCommitted(x.ctx)
	if err != nil {
		return []Finding{problem("tests", err.Error(), "")}
	}
	return []Finding{judgeTested(r, "")}
}

// judgeTested turns a test run into a finding. A night that starts with failing tests counts
// only new failures.
func judgeTested(r evidence.Tested, how string) Finding {
	if r.Passed && !r.Red {
		return ok("tests", gate.Describe(r)+how)
	}
	detail := fmt.Sprintf("%s fails on the last commit", r.Command)
	switch {
	case r.TimedOut:
		detail = gate.Describe(r)
	case len(r.Failing) > 0:
		detail += ": " + text.Quote(r.Failing, 5)
	}
	return warning("tests", detail+how, "a night counts only new failures; fix these first")
}
