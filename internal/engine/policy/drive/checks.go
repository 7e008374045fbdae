package drive

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/redfirst"
	"warp/internal/core/testoutput"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/gate"
	"warp/internal/engine/prompt"
	"warp/internal/engine/prove"
	"warp/internal/engine/step"
	"warp/internal/turnstile"
)

// gateChecks is the gate that runs the checks of the chunk's criteria on its work.
const gateChecks = "checks"

const maxSettled = 20_000 // of the diff, in characters

// What can be wrong when a check fails and the author of the work objects.
const (
	faultCode      = "code"
	faultCheck     = "check"
	faultContract  = "contract"
	faultCriterion = "criterion"
)

// checksGate runs the checks: seconds, before the suite.
func checksGate(e *Engine) turnstile.Gate {
	output := ""
	return turnstile.Gate{Name: gateChecks, When: turnstile.Early, Cycle: true, Output: &output, Run: func(ctx context.Context, s *drivestate.State) (why string, err error) {
		t := &turn{e, s}
		set, err := checksOf(t)
		if err != nil || set == nil {
			return "", err
		}
		tree, err := checkedTree(e)
		if err != nil {
			return "", err
		}
		why, output, err = runChunkChecks(ctx, t, set, tree)
		return why, err
	}}
}

// runChunkChecks runs the checks of the present criteria on what the chunk's commit would have. why
// and said are for the coder, who sees neither a check nor its output.
func runChunkChecks(ctx context.Context, t *turn, set *redfirst.Set, tree string) (why, said string, err error) {
	desk, err := proofDesk(t)
	if err != nil {
		return "", "", err
	}
	commit, err := t.lander.Preview(ctx, chunkChange(t, tree))
	if err != nil {
		return "", "", err
	}
	var failing []string
	for _, id := range slices.Concat(t.s.Chunk.Present(), provenEarlier(t, set)) {
		c := set.Of(id)
		if c == nil || !c.Runs() {
			continue
		}
		words, err := proveCriterion(ctx, t, desk, set, c, tree, commit)
		if err != nil {
			return "", "", err
		}
		if words != "" {
			failing, said = append(failing, id), said+words
		}
	}
	if len(failing) > 0 {
		why = "a test of the contract that you do not see fails: " + strings.Join(failing, ", ")
	}
	return why, said, nil
}

// provenEarlier returns the criteria of earlier chunks whose checks are not in the project: work on
// one criterion must not undo another. The project's own tests hold what joined it.
func provenEarlier(t *turn, set *redfirst.Set) (ids []string) {
	page := t.evidenceOfIssue(t.s)
	for _, c := range set.Criteria {
		_, joined := evidence.Last(page.Checks, func(r evidence.Check) bool { return r.ID == c.ID && r.Stage == evidence.CheckJoined })
		if c.Runs() && !joined && !slices.Contains(t.s.Chunk.Present(), c.ID) && slices.Contains(t.s.Checked[t.s.Issue()], c.ID) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// checkStillProven runs the checks that are not in the project on the work to merge, which may have
// been rebased.
func checkStillProven(ctx context.Context, t *turn, tip string) error {
	set, err := checksOf(t)
	if err != nil || set == nil {
		return err
	}
	tree, err := gate.TreeOf(ctx, t.repo(), tip)
	if err != nil {
		return err
	}
	desk, err := proofDesk(t)
	if err != nil {
		return err
	}
	page := t.evidenceOfIssue(t.s)
	for _, id := range slices.Concat(provenEarlier(t, set), t.s.Chunk.Present()) {
		c := set.Of(id)
		last, ran := evidence.Last(page.Checks, func(r evidence.Check) bool { return r.ID == id && r.Stage == evidence.CheckWork })
		_, joined := evidence.Last(page.Checks, func(r evidence.Check) bool { return r.ID == id && r.Stage == evidence.CheckJoined })
		if c == nil || !c.Runs() || joined || !ran || last.Row.Passed && last.Row.Tree == tree {
			continue
		}
		now, err := runOnWork(ctx, t, desk, c, tree)
		if err != nil {
			return explainUnrun(&gate.UnrunError{Err: err})
		}
		row := last.Row
		row.Tree, row.Outcome, row.Passed = tree, now.Outcome, now.Outcome == redfirst.Green
		t.recordEvidence(t.s, event.Check, row)
		if !row.Passed {
			return needsPerson("look at the branch and what "+t.s.MergeTarget+" has got since, fix the branch, then warp resume", "the check of %s passed on the branch, and does not pass on what would be merged", id)
		}
	}
	return nil
}

// undoesProof returns why work is refused that changes the test of the project that a check of this
// requirement became, and passes with the new version alone.
func undoesProof(t *turn, changed []string) (why string) {
	var texts []string
	for _, c := range t.issue.criteria {
		texts = append(texts, c.Text)
	}
	allowed := criteria.AllowedTestChanges(texts)
	for _, e := range t.evidenceOfIssue(t.s).Checks {
		file := e.Row.File
		if e.Row.Stage != evidence.CheckJoined || slices.Contains(t.s.Chunk.Present(), e.Row.ID) || criteria.MatchesAny(allowed, file) {
			continue
		}
		if slices.ContainsFunc(changed, func(name string) bool { return name == file || testoutput.IsTestOf(name, file, "") }) {
			why += fmt.Sprintf("%s proved %s, and passes on this work only as it is changed here%s\n", file, e.Row.ID, criteria.ExplainAllowing([]string{file}))
		}
	}
	return strings.TrimSpace(why)
}

// proveCriterion runs the check of one criterion, and returns what the coder is told if it fails.
func proveCriterion(ctx context.Context, t *turn, desk prove.Desk, set *redfirst.Set, c *redfirst.Criterion, tree, commit string) (said string, err error) {
	if last, ran := lastWork(t, c.ID); ran && last.Row.Passed && last.Row.Tree == commit {
		return "", nil
	}
	ran, err := runOnWork(ctx, t, desk, c, commit)
	if err != nil {
		return "", explainUnrun(&gate.UnrunError{Err: err})
	}
	verdict := ""
	if ran.Outcome != redfirst.Green {
		if verdict, err = settleObjection(ctx, t, desk, set, c, tree, ran); err != nil {
			return "", err
		}
		if verdict == faultCheck || verdict == faultContract { // the check may be another one by now
			if !c.Runs() {
				return "", nil
			}
			if ran, err = runOnWork(ctx, t, desk, c, commit); err != nil {
				return "", explainUnrun(&gate.UnrunError{Err: err})
			}
		}
	}
	if ran.Outcome == redfirst.Wavers {
		return "", loseCheck(t, desk, set, c, "its runs on the work differ")
	}
	row := evidence.Check{Issue: t.s.Issue(), Chunk: t.s.Chunk.Index, ID: c.ID, Stage: evidence.CheckWork, Outcome: ran.Outcome, Passed: ran.Outcome == redfirst.Green, Tree: commit, Seen: set.Seen || hasJoined(t, c.ID), Red: !isKept(*c)}
	if !row.Passed {
		row.Why = describeFailing(t, c, set, ran)
		if verdict == faultCode {
			row.Why += "\nThe verifier on the objection: " + settledReason(t, c.ID)
		}
		said = row.Why + "\n"
	}
	t.recordEvidence(t.s, event.Check, row)
	t.tell(Note{Kind: Tested, Text: c.ID + ": its check " + map[bool]string{true: "turned green", false: "is not green"}[row.Passed], Passed: new(row.Passed)})
	t.pass("checked")
	return said, nil
}

// runOnWork runs a check on the work; one that fails runs again, in case it fails by chance.
func runOnWork(ctx context.Context, t *turn, desk prove.Desk, c *redfirst.Criterion, commit string) (prove.Ran, error) {
	ran, err := desk.Run(ctx, commit, *c, nil, 1)
	if err != nil || ran.Outcome == redfirst.Green {
		return ran, err
	}
	again, err := desk.Run(ctx, commit, *c, nil, 2)
	if err == nil && again.Outcome == redfirst.Green || again.Outcome == redfirst.Wavers {
		again.Outcome = redfirst.Wavers
	}
	return again, err
}

// describeFailing says what a failing check found: the contract, and what came for its example.
func describeFailing(t *turn, c *redfirst.Criterion, set *redfirst.Set, ran prove.Ran) string {
	words := c.ID + ": the work does not do what its contract says. The contract: " + c.Contract
	switch said := redfirst.Failure(ran.Output, set.Name(c.ID), *c); {
	case said != "":
		words += "\nThe contract's example fails: " + t.Redact(said)
	case ran.Outcome == redfirst.Broken:
		words += "\nThe test does not run on the work: a name of the contract may be missing or different."
	default:
		words += "\nThe contract's example may work; the same behaviour fails for other input."
	}
	return words
}

// lastWork returns the last run of a criterion's check on the present chunk.
func lastWork(t *turn, id string) (evidence.Entry[evidence.Check], bool) {
	return evidence.Last(t.evidenceOfIssue(t.s).Checks, func(r evidence.Check) bool {
		return r.ID == id && r.Stage == evidence.CheckWork && r.Chunk == t.s.Chunk.Index
	})
}

// listGreen returns the criteria whose checks passed when they last ran on the present chunk.
func listGreen(t *turn, set *redfirst.Set, ids []string) (green []string) {
	for _, id := range ids {
		c := set.Of(id)
		if last, ran := lastWork(t, id); c != nil && c.Runs() && ran && last.Row.Passed {
			green = append(green, id)
		}
	}
	return green
}

// loseCheck makes a criterion one that only a reader judges.
func loseCheck(t *turn, desk prove.Desk, set *redfirst.Set, c *redfirst.Criterion, why string) error {
	c.Lost = why
	t.remark("%s is read by the verifier: %s", c.ID, why)
	t.recordEvidence(t.s, event.Check, evidence.Check{Issue: t.s.Issue(), Chunk: t.s.Chunk.Index, ID: c.ID, Stage: evidence.CheckLost, Why: t.Redact(why)})
	return desk.Save(set)
}

// settleObjection has the verifier decide what is wrong when a check failed before and the author of
// the work objects: once for each criterion of a chunk, and once more about a check that was written
// again. "": there is nothing to settle.
func settleObjection(ctx context.Context, t *turn, desk prove.Desk, set *redfirst.Set, c *redfirst.Criterion, tree string, ran prove.Ran) (string, error) {
	page := t.evidenceOfIssue(t.s)
	failed, before := lastWork(t, c.ID)
	run, coded := evidence.Last(codingRuns(page, t.s), nil)
	settled, rewritten := 0, false
	for _, r := range page.Checks {
		if r.Row.ID == c.ID && r.Row.Stage == evidence.CheckSettled && r.Row.Chunk == t.s.Chunk.Index {
			settled, rewritten = settled+1, strings.HasPrefix(r.Row.Why, faultCheck+": ") || strings.HasPrefix(r.Row.Why, faultContract+": ")
		}
	}
	isHeard := !before || !failed.Row.Passed && run.N > failed.N // what was said before it failed is not about that
	if !coded || run.Row.Objection == "" || !isHeard || settled > 1 || settled == 1 && !rewritten {
		return "", nil
	}
	t.Agents.Private = desk.Folder()
	choice, reason, err := askWhatIsWrong(ctx, t, c, tree, run.Row.Objection, ran)
	if err != nil || choice == "" {
		return "", err
	}
	if c.Gives(reason, set.Name(c.ID)) {
		reason = "(its reason quotes the test, and is not shown)"
	}
	t.recordEvidence(t.s, event.Check, evidence.Check{Issue: t.s.Issue(), Chunk: t.s.Chunk.Index, ID: c.ID, Stage: evidence.CheckSettled, Why: choice + ": " + t.Redact(reason)})
	t.remark("the author objects to the check of %s; the verifier: %s: %s", c.ID, choice, reason)
	if choice != faultCheck && choice != faultContract {
		return choice, nil
	}
	if settled > 0 || c.Again && choice == faultCheck {
		return choice, loseCheck(t, desk, set, c, "its "+choice+" is wrong: "+reason)
	}
	open := openCriteria(t)
	c.Again = true
	why := map[string]string{faultCheck: "it asks for what the contract does not say, or can never pass: ", faultContract: "its contract has to be amended: "}[choice] + reason
	unwritten, err := writeChecks(ctx, t, desk, set, open, []string{c.ID}, []badCheck{{ID: c.ID, Why: why}})
	if err != nil {
		return "", err
	}
	if now := set.Of(c.ID); unwritten == "" && now != nil {
		t.recordEvidence(t.s, event.Check, evidence.Check{Issue: t.s.Issue(), ID: c.ID, Stage: evidence.CheckContract, Contract: t.Redact(now.Contract), Decided: t.Redact(now.Decided), Agent: set.Agent, Kinds: now.Kinds, Seen: set.Seen})
		if now.Lost != "" {
			return choice, loseCheck(t, desk, set, now, now.Lost)
		}
	}
	return choice, nil
}

// askWhatIsWrong asks the verifier's agent.
func askWhatIsWrong(ctx context.Context, t *turn, c *redfirst.Criterion, tree, objection string, ran prove.Ran) (choice, reason string, err error) {
	diff, cut, err := t.Work.Diff(ctx, judgingBase(t), tree, maxSettled)
	if err != nil {
		return "", "", err
	}
	var files strings.Builder
	for _, f := range c.Files {
		fmt.Fprintf(&files, "%s:\n%s\n", f.Path, f.Content)
	}
	task := agent.Task{Role: agent.Choose, ReadOnly: true, Criteria: []string{c.ID}, Prompt: dispute{c.ID + ": " + t.s.CriterionText(c.ID), c.Contract, c.Command, files.String(), t.Redact(ran.Output), objection, diff, cut}.prompt()}
	a, err := askAgent(ctx, t, t.Drive.Root(), task)
	if err != nil {
		return "", "", err
	}
	return readChoice(a)
}

// dispute is about a check that fails, and whose coder objects.
type dispute struct {
	criterion, contract, command, files, output, objection, diff string
	cut                                                          bool
}

func (d dispute) prompt() string {
	return prompt.Render("settle", map[string]any{"Criterion": d.criterion, "Contract": d.contract, "Command": d.command, "Check": text.Clip(d.files, maxFault*4),
		"Output": text.Tail(d.output, maxFault), "Objection": prompt.Clip(maxFault, d.objection), "Diff": d.diff, "Cut": d.cut})
}

// settledReason returns what the verifier last said of an objection to the check of a criterion.
func settledReason(t *turn, id string) string {
	last, _ := evidence.Last(t.evidenceOfIssue(t.s).Checks, func(r evidence.Check) bool { return r.ID == id && r.Stage == evidence.CheckSettled })
	_, reason, _ := strings.Cut(last.Row.Why, ": ")
	return reason
}

func readChoice(a step.Answer) (choice, reason string, err error) {
	var said struct {
		Choice string `json:"choice"`
		Reason string `json:"reason"`
	}
	if !a.Read(&said) || !slices.Contains([]string{faultCode, faultCheck, faultContract, faultCriterion}, said.Choice) {
		return "", "", nil
	}
	return said.Choice, said.Reason, nil
}

// doubtedCriterion returns the question to a person about a criterion that the verifier finds
// unclear, unless it was asked since.
func doubtedCriterion(t *turn) *decision {
	page := t.evidenceOfIssue(t.s)
	last, found := evidence.Last(page.Checks, func(r evidence.Check) bool {
		return r.Stage == evidence.CheckSettled && r.Chunk == t.s.Chunk.Index && strings.HasPrefix(r.Why, faultCriterion+": ")
	})
	d, asked := evidence.Last(page.Decisions, func(d evidence.Decision) bool { return d.Chunk == t.s.Chunk.Index })
	if !found || asked && d.N > last.N {
		return nil
	}
	return &decision{Question: fmt.Sprintf("What does %s ask for? (%s) The verifier: %s", last.Row.ID, t.s.CriterionText(last.Row.ID), strings.TrimPrefix(last.Row.Why, faultCriterion+": "))}
}

// findUnproven returns why a drive that may merge does not: nothing proves a criterion.
func findUnproven(t *turn) (string, error) {
	if endsInPull(t) || t.cfg.Unproven == "merge" {
		return "", nil
	}
	var list []string
	for _, p := range t.evidenceOfIssue(t.s).Account(t.s.Issue()).Criteria {
		if p.Proven.Unproven() {
			list = append(list, p.ID+" is "+p.Proven.Words())
		}
	}
	if len(list) == 0 {
		return "", nil
	}
	why := "not everything is proven: " + strings.Join(list, "; ")
	if t.cfg.Unproven == "ask" {
		return "", needsPerson(fmt.Sprintf("look at the branch %s; warp config set unproven merge, then warp resume, merges it", t.s.BranchName()), "it is not merged, since %s", why)
	}
	return why, nil
}
