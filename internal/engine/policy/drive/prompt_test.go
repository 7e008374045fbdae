package drive

import (
	"flag"
	"strings"
	"testing"

	"warp/internal/core/criteria"
	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/core/redfirst"
	"warp/internal/engine/agent"
	"warp/internal/engine/forge"
	"warp/internal/testkit/agenttest"
)

var update = flag.Bool("update", false, "write the golden files of prompts")

// However much there is to say, and however it grows when it is made visible.
func TestACodingPromptStaysSmall(t *testing.T) {
	long := strings.Repeat("\x1b[31mred ", 2000)
	issue := &subject{Issue: forge.Issue{Title: "T", Body: "the issue's own text"}, id: "1"}
	for _, p := range []codePrompt{
		{}, {attempt: 2, resumed: true}, {attempt: 3}, {attempt: 3, fault: &fault{text: "short"}},
	} {
		p.subject, p.chunk, p.index, p.total, p.tests, p.approach = issue, []drivestate.Criterion{{ID: "AC-01", Text: "one"}}, 1, 2, long, long
		if p.attempt > 0 && p.fault == nil {
			p.fault = &fault{by: long, text: "FAIL: TestOne\n" + long}
		}
		for range 4 {
			p.decisions = append(p.decisions, evidence.Decision{Question: long, Answer: long})
			p.work.committed = append(p.work.committed, strings.Repeat("c", maxSummary+40))
			p.work.lessons = append(p.work.lessons, strings.Repeat("l", 240))
			p.work.left, p.work.leftSaid = append(p.work.left, strings.Repeat("f", 40)), long
		}
		text := p.String()
		added := len(text) - p.ofIssue(p.values())
		if !p.resumed {
			added -= len(issueText(p.subject))
		}
		if added > maxAdded {
			t.Errorf("attempt %d: %d characters are added", p.attempt, added)
		}
		if p.fault != nil && p.attempt > 1 && !strings.Contains(text, "FAIL: TestOne") && !strings.Contains(text, "short") {
			t.Errorf("attempt %d: what is wrong is not told:\n%s", p.attempt, text)
		}
		if p.resumed == strings.Contains(text, "the issue's own text") {
			t.Errorf("attempt %d: the issue is told twice, or never", p.attempt)
		}
	}
}

func TestPromptsHaveTheirParts(t *testing.T) {
	issue := &subject{Issue: forge.Issue{Title: "Limit logins", Body: "Logins are unlimited.\n\n- [ ] AC-01: five attempts\n- [ ] AC-02: a message\n- [ ] AC-03: the README says so\n"}, id: "7"}
	chunk := []drivestate.Criterion{{ID: "AC-02", Text: "a message"}}
	open := []criteria.Criterion{{ID: "AC-02", Text: "a message"}, {ID: "AC-03", Text: "the README says so"}}
	decisions := []evidence.Decision{{Question: "In which language?", Answer: "English", By: "ada"}, {Answer: "Keep it short."}}
	work := standing{committed: []string{"1a2b3c4d part 1 (AC-01): The sixth attempt is refused."}, done: []string{"AC-01"}, later: []string{"AC-03"},
		lessons: []string{"Run make generate first."}, subjects: []string{"fix: count attempts", "feat(login): sessions"}}
	again := work
	again.left, again.leftSaid = []string{"login.go"}, "The message is shown."
	check := func(name string, role agent.Role, text string, beside ...string) {
		agenttest.CheckPrompt(t, role, text)
		agenttest.CheckGolden(t, name, text, len(strings.Join(beside, "")), *update)
	}
	check("issue-plan", agent.Plan, planPrompt{tests: "go test ./...", took: "45 s", subject: issue, open: open, done: []string{"AC-01"}, most: 3, decisions: decisions, lessons: work.lessons}.String(), issueText(issue))
	for name, p := range map[string]codePrompt{
		"issue-code":         {contracts: []string{"AC-02: Login shows \"locked\"."}, approach: "Show it in login.go.", work: work, decisions: decisions},
		"issue-fix":          {fault: &fault{by: "verifier", text: "not met: AC-02: nothing is shown"}, attempt: 2, approach: "Show it in login.go.", work: again},
		"issue-fix-resumed":  {fault: &fault{by: "go test ./...", text: "--- FAIL: TestLogin"}, attempt: 2, resumed: true},
		"issue-fix-unasked":  {fault: &fault{by: faultUnasked, text: "NOTES.md: a new file that neither the issue nor the coder names"}, attempt: 2, work: again},
		"issue-fix-gate":     {fault: &fault{by: "lint", gate: true, text: "login.go:3: unused"}, attempt: 2, work: again},
		"issue-fix-repeated": {fault: &fault{by: "go test ./...", text: "--- FAIL: TestLogin", repeated: true}, attempt: 3, work: again},
		"issue-advice":       {advice: "add seed data for users", seeds: true, work: again},
	} {
		p.subject, p.chunk, p.index, p.total, p.tests = issue, chunk, 2, 3, "go test ./..."
		p.took = "45 s"
		check(name, agent.Code, p.String(), issueText(issue))
	}
	check("issue-verify", agent.Verify, verification{contracts: []string{"AC-02: Login shows \"locked\". The sixth Login(\"ada\") is \"locked\". Open: other languages."}, proven: []string{"AC-02"}, judged: chunk, diff: "+1", cut: true, ignored: []string{"a.log"}, changed: []string{"TestOld"}, tests: "warp ran the tests on exactly this work: passed.", decisions: decisions, objection: "The message is in login.go:12.", verdict: "AC-02 is not met: nothing is shown"}.prompt(issue), issueText(issue))
	set := &redfirst.Set{Issue: "7", Token: "1a2b3c", Criteria: []redfirst.Criterion{{ID: "AC-02", Kinds: []redfirst.Kind{redfirst.New}, Contract: "Login shows \"locked\".", Command: "go test ./warp_1a2b3c_ac02/"}, {ID: "AC-03"}}}
	asked := checkRequest{subject: issue, set: set, open: open, ids: []string{"AC-02", "AC-03"}, tests: "go test ./...", took: "45 s", approach: "Show it in login.go.", decisions: decisions}
	check("issue-check", agent.Check, asked.prompt(), issueText(issue))
	asked.ids, asked.approach = asked.ids[:1], ""
	asked.fix = []badCheck{{ID: "AC-02", Why: "it passes on the stub, so it proves nothing", Output: "ok  \twarp_1a2b3c_ac02\t0.002s"}}
	check("issue-check-again", agent.Check, asked.prompt(), issueText(issue), asked.fix[0].Was, asked.fix[0].Output)
	check("issue-settle", agent.Choose, dispute{criterion: "AC-02: a message", contract: "Login shows \"locked\". The sixth Login(\"ada\") is \"locked\".", command: "go test ./warp_1a2b3c_ac02/",
		files: "warp_1a2b3c_ac02/login_test.go:\npackage login_test\n", output: "example 1: expected locked, got \"\"", objection: "Login returns an error, no text.", diff: "+1", cut: true}.prompt())
	check("issue-conflict", agent.Fix, conflictPrompt(issue, "main", []string{"a.go"}), issueText(issue))
}

func TestAnApproachIsCutAtASentence(t *testing.T) {
	for approach, want := range map[string]string{
		"Short.": "Short.",
		strings.Repeat("a", 1400) + ". Then this. " + strings.Repeat("b", 200): strings.Repeat("a", 1400) + ". Then this.",
		strings.Repeat("c", 2000): strings.Repeat("c", maxApproach-len("…")) + "…",
	} {
		short, cut := cutApproach(approach)
		if short != want || cut != (short != approach) {
			t.Errorf("%q (%v), want %q", short, cut, want)
		}
	}
}

func TestTheSameFaultIsFoundTwice(t *testing.T) {
	s := &drivestate.State{}
	page := &evidence.Book{Gates: []evidence.Entry[evidence.Gate]{
		{N: 1, Row: evidence.Gate{Gate: "verifier", Reason: "not met: AC-02: nothing is shown"}},
		{N: 3, Row: evidence.Gate{Gate: "verifier", Reason: "not met: AC-03: not in the README"}},
	}}
	if f := findFault(page, s); f.repeated {
		t.Error("another criterion is the same fault")
	}
	page.Gates = append(page.Gates, evidence.Entry[evidence.Gate]{N: 5, Row: evidence.Gate{Gate: "verifier", Reason: "not met: AC-02: shown too late"}})
	if f := findFault(page, s); !f.repeated {
		t.Error("the same criterion in other words is another fault")
	}
	run := func(n int, tree, objection string) evidence.Entry[evidence.Run] {
		return evidence.Entry[evidence.Run]{N: n, Row: evidence.Run{Phase: "coding", Role: string(agent.Fix), Tree: tree, Objection: objection}}
	}
	page.Runs = []evidence.Entry[evidence.Run]{run(0, "t1", ""), run(2, "t1", "it is shown"), run(4, "t1", "it is shown")}
	if f := findFault(page, s); f.repeated {
		t.Error("an objection is a try")
	}
	page.Runs[2] = run(4, "t2", "")
	if f := findFault(page, s); !f.repeated {
		t.Error("a change is no try")
	}
}

// Of each verdict something is told, cut between words: the last criterion is as wrong as the first.
func TestEachVerdictIsTold(t *testing.T) {
	issue := &subject{Issue: forge.Issue{Title: "T", Body: "text"}, id: "1"}
	p := codePrompt{subject: issue, index: 1, total: 1, tests: "go test ./...", attempt: 2, fault: &fault{by: "verifier"}}
	for _, id := range []string{"AC-01", "AC-02", "AC-03", "AC-04", "AC-05"} {
		p.chunk = append(p.chunk, drivestate.Criterion{ID: id, Text: "one"})
		p.fault.text += id + " is not met: " + strings.Repeat("wordy ", 60) + "\n"
	}
	p.fault.text += "AC-06 is not met: it is short"
	p.work = standing{committed: []string{strings.Repeat("c", 170)}, leftSaid: strings.Repeat("s", 170), left: []string{"a.go"}, subjects: []string{strings.Repeat("x", 60), strings.Repeat("y", 60)}}
	said := p.String()
	for _, part := range []string{"AC-01 is not met: wordy wordy", "AC-05 is not met: wordy wordy", "AC-06 is not met: it is short", " … wordy"} {
		if !strings.Contains(said, part) {
			t.Errorf("%q is not in\n%s", part, said)
		}
	}
	if added := len(said) - p.ofIssue(p.values()) - len(issueText(issue)); added > maxAdded {
		t.Errorf("%d characters are added", added)
	}
}

// Who fixes work says what the whole part does, so it is told what was said of it, also beside three
// verdicts and a long test command.
func TestWhatWasSaidIsToldBesideVerdicts(t *testing.T) {
	p := codePrompt{subject: &subject{Issue: forge.Issue{Title: "T", Body: "text"}, id: "1"}, index: 1, total: 1, tests: strings.Repeat("make all ", 14), attempt: 2, fault: &fault{by: "verifier"}}
	for _, id := range []string{"AC-01", "AC-02", "AC-03"} {
		p.chunk = append(p.chunk, drivestate.Criterion{ID: id, Text: "one"})
		p.fault.text += id + " is not met: " + strings.Repeat("wordy ", 30) + "\n"
	}
	p.work = standing{leftSaid: "It returns the number.", left: []string{"a.c", "a.h", "tests/a.c"}, subjects: []string{strings.Repeat("x", 60), strings.Repeat("y", 60)}}
	if said := p.String(); !strings.Contains(said, "It returns the number.") || !strings.Contains(said, "AC-03 is not met") {
		t.Error(said)
	}
}

// A verifier says first what it saw, and then what is missing: both are told of each criterion.
func TestWhatIsMissingIsTold(t *testing.T) {
	var reasons []string
	for _, id := range []string{"AC-01", "AC-02", "AC-03"} {
		reasons = append(reasons, id+" is not met: the code returns the number, "+strings.Repeat("and a test covers one more of the cases, ", 8)+"but no test calls it with NULL as "+id+".")
	}
	said := clipLines(600, strings.Join(reasons, "\n"))
	for _, id := range []string{"AC-01", "AC-02", "AC-03"} {
		if len(said) > 600 || !strings.Contains(said, id+" is not met: the code") || !strings.Contains(said, "no test calls it with NULL as "+id+".") {
			t.Errorf("%d characters:\n%s", len(said), said)
		}
	}
}

// Not every language has spaces between its words, and not every line: nothing is lost but the end.
func TestALineWithoutSpacesIsCut(t *testing.T) {
	for _, words := range []string{"AC-01 is not met: " + strings.Repeat("緑でない。", 300), strings.Repeat("x", 4_000)} {
		if said := clipLines(maxFault, words); len(said) > maxFault || len(said) < maxFault-100 || !strings.HasPrefix(said, words[:200]) {
			t.Errorf("%d characters: %.300s", len(said), said)
		}
	}
}
