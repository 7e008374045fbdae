package drive

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path"
	"slices"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/redfirst"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/judge"
	"warp/internal/engine/prompt"
	"warp/internal/engine/prove"
	"warp/internal/engine/step"
	"warp/internal/sys/sandbox"
)

// Before the first chunk is coded, the role check writes a contract and a check for each criterion.
// The coder gets the contracts, never the checks.

// maxShown bounds what a checker is shown of a check's output, in characters.
const maxShown = 1_000

// proofDesk returns the desk that runs and keeps the checks of this project.
func proofDesk(t *turn) (prove.Desk, error) {
	base, err := t.lander.Tip(t.s.MergeTarget)
	return prove.Desk{Rooms: t.Rooms, Base: base, Environ: os.Environ(), State: t.State, Project: t.home.Dir(), Left: t.timeLeft}, err
}

// wantsChecks reports whether the criteria of the requirement get checks.
func wantsChecks(t *turn) bool {
	return t.cfg.Checks != "off" && t.Rooms != nil && t.State != "" && t.following() == nil
}

// checksOf returns the checks of the requirement; nil if it has none.
func checksOf(t *turn) (*redfirst.Set, error) {
	if !wantsChecks(t) {
		return nil, nil
	}
	if t.checks != nil && t.checks.Issue == t.s.Issue() {
		return t.checks, nil
	}
	desk, err := proofDesk(t)
	if err != nil {
		return nil, err
	}
	t.checks, err = desk.Load(t.s.Issue())
	return t.checks, err
}

// agreeOnContract has the contracts and checks written, unless they are kept from an earlier night.
func agreeOnContract(ctx context.Context, t *turn) error {
	open := openCriteria(t)
	var ids, texts []string
	for _, c := range open {
		ids, texts = append(ids, c.ID), append(texts, c.ID+" "+c.Text)
	}
	if t.cfg.Checks == "off" || t.following() != nil || len(ids) == 0 {
		return nil
	}
	if !wantsChecks(t) {
		if !wasRefusedContract(t, ids) {
			recordNoContract(t, ids, "there is no clean room, or no folder of the user's to keep checks in")
		}
		return nil
	}
	desk, err := proofDesk(t)
	if err != nil {
		return err
	}
	s, err := checksOf(t)
	if err != nil || wasRefusedContract(t, ids) {
		return err
	}
	if key := prove.Key(texts); s == nil || s.Key != key && !isPartOf(s, open) {
		if s, err = prove.NewSet(t.s.Issue(), key); err != nil {
			return err
		}
		why, err := writeChecks(ctx, t, desk, s, open, ids, nil)
		if err != nil || why == outOfBudget {
			return err
		}
		if why != "" {
			recordNoContract(t, ids, why)
			return nil
		}
	}
	if edited := s.Edited(); len(edited) > 0 {
		var fix []badCheck
		for _, id := range edited {
			fix = append(fix, badCheck{ID: id, Why: "a person has written its contract. Keep it as it is, and write the check for it: " + s.Of(id).Contract})
		}
		if _, err := writeChecks(ctx, t, desk, s, open, edited, fix); err != nil {
			return err
		}
	}
	t.checks = s
	recordContracts(t, s, ids)
	return nil
}

// outOfBudget is why no contract was written that the next night writes.
const outOfBudget = "the budget is used up"

// recordNoContract records that nothing but a reader can tell whether the criteria are met: no one
// wrote checks. Without one a criterion counts as new behaviour, so level 3 does not merge it on a
// reader's word alone.
func recordNoContract(t *turn, ids []string, why string) {
	why = "no contract was written: " + why
	t.remark("%s: %s read by the verifier", why, strings.Join(ids, ", "))
	var rows []any
	for _, id := range ids {
		rows = append(rows, evidence.Check{Issue: t.s.Issue(), ID: id, Stage: evidence.CheckContract, Kinds: []redfirst.Kind{redfirst.New}},
			evidence.Check{Issue: t.s.Issue(), ID: id, Stage: evidence.CheckLost, Why: t.Redact(why)})
	}
	t.recordEvidence(t.s, event.Check, rows...)
}

// wasRefusedContract reports whether no contract could be written in this session.
func wasRefusedContract(t *turn, ids []string) bool {
	page := t.evidenceOfIssue(t.s)
	return !slices.ContainsFunc(ids, func(id string) bool {
		last, told := evidence.Last(page.Checks, func(r evidence.Check) bool { return r.ID == id && r.Stage == evidence.CheckContract })
		return !told || last.Row.Agent != ""
	})
}

// freezeContracts ends what people may change of the contracts: coding begins.
func freezeContracts(t *turn) error {
	s, err := checksOf(t)
	if err != nil || s == nil || s.Frozen {
		return err
	}
	desk, err := proofDesk(t)
	if err != nil {
		return err
	}
	s.Frozen = true
	return desk.Save(s)
}

// isPartOf reports whether a set has the checks of all open criteria: what was done since needs none.
func isPartOf(s *redfirst.Set, open []criteria.Criterion) bool {
	return !slices.ContainsFunc(open, func(c criteria.Criterion) bool { return s.Of(c.ID) == nil })
}

// recordContracts records the contracts as evidence, once in a session.
func recordContracts(t *turn, s *redfirst.Set, ids []string) {
	page := t.evidenceOfIssue(t.s)
	var rows []any
	for _, id := range ids {
		c := s.Of(id)
		if c == nil {
			continue
		}
		if _, told := evidence.Last(page.Checks, func(r evidence.Check) bool { return r.ID == id && r.Stage == evidence.CheckContract }); told {
			continue
		}
		if c.Contract != "" {
			agreed := &evidence.Proven{Contract: c.Contract, Decided: c.Decided}
			t.remark("the contract of %s: %s", id, t.Redact(agreed.Agreed()))
		}
		rows = append(rows, evidence.Check{Issue: s.Issue, ID: id, Stage: evidence.CheckContract, Contract: t.Redact(c.Contract), Decided: t.Redact(c.Decided), Agent: s.Agent, Kinds: c.Kinds, Why: t.Redact(c.Why), Seen: s.Seen})
		switch {
		case c.Lost != "":
			if c.Already {
				rows = append(rows, evidence.Check{Issue: s.Issue, ID: id, Stage: evidence.CheckBefore, Outcome: redfirst.Green})
			}
			rows = append(rows, evidence.Check{Issue: s.Issue, ID: id, Stage: evidence.CheckLost, Why: t.Redact(c.Lost)})
		case c.Runs():
			outcome := redfirst.Red
			if isKept(*c) {
				outcome = redfirst.Green
			}
			rows = append(rows, evidence.Check{Issue: s.Issue, ID: id, Stage: evidence.CheckBefore, Outcome: outcome, Passed: true})
		}
	}
	if len(rows) > 0 {
		t.recordEvidence(t.s, event.Check, rows...)
	}
}

// isKept reports whether a check has to pass before the work, too.
func isKept(c redfirst.Criterion) bool {
	return c.Is(redfirst.Keeps) && !c.Is(redfirst.New) && !c.Is(redfirst.Shape)
}

// badCheck is what a checker is told of a check that cannot be used.
type badCheck struct{ ID, Why, Output, Was string }

// writeChecks has checks written and proves that they fail before the work. What cannot be used is
// written again, once. why says why no agent could write any: then the work goes on without.
func writeChecks(ctx context.Context, t *turn, desk prove.Desk, s *redfirst.Set, open []criteria.Criterion, ids []string, fix []badCheck) (why string, err error) {
	session := ""
	for round := range 2 {
		a, problems, err := askChecker(ctx, t, desk, s, open, ids, fix, session)
		if err == nil && problems == nil && a.Failed() && a.Spends() && a.End != agent.Budgeted { // its run failed: once more
			a, problems, err = askChecker(ctx, t, desk, s, open, ids, fix, session)
		}
		if err != nil {
			return "", err
		}
		if a.End != agent.Done || problems == nil {
			switch {
			case round == 0 && len(fix) == 0 && a.End == agent.Budgeted:
				return outOfBudget, nil
			case round == 0 && len(fix) == 0:
				return cmp.Or(a.Unread, a.Why, a.Invalid, string(a.End)), nil
			}
			problems = map[string]string{}
			for _, f := range fix {
				problems[f.ID] = f.Why
			}
		}
		session, s.Agent = a.Session, a.Agent
		if fix, err = findUnusable(ctx, t, desk, s, ids, problems); err != nil {
			return "", err
		}
		if len(fix) == 0 || round > 0 {
			break
		}
		ids = nil
		for _, f := range fix {
			t.remark("the check of %s cannot be used, so it is written again: %s", f.ID, f.Why)
			s.Of(f.ID).Again = true
			ids = append(ids, f.ID)
		}
	}
	for _, f := range fix {
		s.Of(f.ID).Lost = f.Why
		t.remark("%s is read by the verifier: %s", f.ID, f.Why)
	}
	s.Seen = s.Seen || t.Mind != nil || t.Agents.Holds() == sandbox.Not
	if err := desk.Save(s); err != nil {
		return "", err
	}
	t.pass("contract")
	return "", nil
}

// findUnusable runs each check before the work, and returns those that do not behave as they have to.
func findUnusable(ctx context.Context, t *turn, desk prove.Desk, s *redfirst.Set, ids []string, problems map[string]string) (list []badCheck, err error) {
	for _, id := range ids {
		c := s.Of(id)
		if why := problems[id]; why != "" {
			list = append(list, badCheck{ID: id, Why: why})
			continue
		}
		if !c.Runs() {
			continue
		}
		ran, wrong, err := desk.Before(ctx, s, *c)
		if err != nil {
			return nil, err
		}
		c.Already = ran.Already
		if wrong != "" {
			list = append(list, badCheck{ID: id, Why: wrong, Output: text.Tail(t.Redact(ran.Output), maxShown)})
			continue
		}
		t.tell(Note{Kind: Tested, Text: id + ": its check is " + string(ran.Outcome) + " before the work", Passed: new(true)})
	}
	return list, nil
}

// askChecker asks for checks in a room of its own, and takes what is answered and left there.
func askChecker(ctx context.Context, t *turn, desk prove.Desk, s *redfirst.Set, open []criteria.Criterion, ids []string, fix []badCheck, session string) (a step.Answer, problems map[string]string, err error) {
	tree, err := t.repo().Trees().Of(ctx, desk.Base)
	if err != nil {
		return a, nil, err
	}
	room, err := t.Rooms(ctx, tree, desk.Base)
	if unusable, is := errors.AsType[*judge.UnusableWorkError](err); is {
		t.remark("no checks: %v", unusable)
		return step.Answer{End: agent.Crashed, Why: unusable.Error()}, nil, nil
	}
	if err != nil {
		return a, nil, err
	}
	defer func() { err = errors.Join(err, room.Leave()) }()
	before, err := room.Left(ctx)
	if err != nil {
		return a, nil, err
	}
	if len(fix) > 0 {
		over := slices.Clone(s.Stub)
		for _, id := range ids {
			over = append(over, s.Of(id).Files...)
		}
		if err := room.Lay(over); err != nil {
			return a, nil, err
		}
	}
	t.Agents.Private = desk.Folder()
	task := agent.Task{Role: agent.Check, Prompt: newCheckRequest(t, s, open, ids, fix).prompt(), Criteria: ids, Session: session}
	if a, err = runAgent(ctx, t, room.Folder(), task); err != nil || a.End != agent.Done || a.Result == nil {
		return a, nil, err
	}
	left, err := prove.ReadLeft(ctx, room, before)
	if err != nil {
		return a, nil, err
	}
	problems, err = s.Take(a.Result, left, ids)
	return a, problems, err
}

// checkRequest is what a checker is asked for.
type checkRequest struct {
	subject               *subject
	set                   *redfirst.Set
	open                  []criteria.Criterion
	ids                   []string
	fix                   []badCheck
	folder                string // of the project in the checkout; "": its top
	tests, took, approach string
	decisions             []evidence.Decision
	done                  []string
}

func (r checkRequest) prompt() string {
	type named struct{ ID, Name string }
	var names []named
	var wanted []criteria.Criterion
	for _, c := range r.open {
		if slices.Contains(r.ids, c.ID) {
			names, wanted = append(names, named{c.ID, r.set.Name(c.ID)}), append(wanted, c)
		}
	}
	folder := "the top of the checkout"
	if r.folder != "" {
		folder = path.Clean(r.folder)
	}
	for i, f := range r.fix {
		if c := r.set.Of(f.ID); c != nil && c.Contract != "" && !c.Edited {
			was, _ := json.Marshal(map[string]any{"kind": c.Kinds, "contract": c.Contract, "decided": c.Decided, "command": c.Command, "keep_as": c.KeepAs}) // plain values
			r.fix[i].Was = string(was)
		}
	}
	list := newSubject(r.subject.Issue, wanted).criteria
	values := map[string]any{"Again": r.fix, "Criteria": criteriaText(list), "Most": redfirst.MaxContract, "Folder": folder, "Names": names, "Example": firstID(list),
		"Tests": prompt.Clip(maxCommand, r.tests), "Took": r.took, "Issue": issueText(r.subject, r.done...), "Approach": prompt.Clip(maxApproach, r.approach)}
	addDecisions(values, r.decisions)
	return prompt.Render("check", values)
}

func newCheckRequest(t *turn, s *redfirst.Set, open []criteria.Criterion, ids []string, fix []badCheck) checkRequest {
	plan, _ := evidence.Last(t.evidenceOfIssue(t.s).Plans, nil)
	return checkRequest{subject: t.issue, set: s, open: open, ids: ids, fix: fix, folder: t.Work.Root().Folder(), tests: suiteCommand(t.Engine), took: suiteTime(t),
		approach: plan.Row.Approach, decisions: decisionsMade(t), done: checkedBoxes(t.issue)}
}
