package drive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/nightreport"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/forge"
)

// Survey lists the approved issues in the order a night drives them, with a reason for each one it
// passes over. It changes nothing.
func (e *Engine) Survey(ctx context.Context) ([]nightreport.Issue, error) {
	e.assemble()
	list, err := listApproved(ctx, e)
	if err != nil {
		return nil, err
	}
	return e.judgeFit(ctx, list), nil
}

// judgeFit determines for each issue whether it can be worked on.
func (e *Engine) judgeFit(ctx context.Context, list []forge.Issue) (all []nightreport.Issue) {
	ready, held := forge.Order(list, forge.StillOpen(ctx, e.Tracker))
	driven := listDrivenElsewhere(e)
	var tonight []string
	for _, i := range slices.Concat(listClosed(list), ready) {
		p := plannedIssue(i)
		why := explainUnfit(i)
		switch root := driven[p.Number]; {
		case root != "":
			p.Passed, p.Do, p.Settled = "it is driven in "+root, "warp status", true
		case why == allChecked && e.judgeFollow(ctx, &p):
			tonight = append(tonight, p.Number)
			all = append([]nightreport.Issue{p}, all...) // nearly merged, so it goes first
			continue
		case why == allChecked && p.Passed != "":
		case why == allChecked:
			p.Passed, p.Do, p.Settled = "every criterion is met: it waits to be merged", "warp evidence "+p.Number, true
		case why != "":
			p.Passed, p.Do = why, repairFor(i, p.Number)
		default:
			tonight = append(tonight, p.Number)
		}
		all = append(all, p)
	}
	for len(held) > 0 {
		next := slices.IndexFunc(held, func(h forge.Held) bool { return len(text.Without(formatNumbers(h.By), tonight)) == 0 })
		if next < 0 {
			break
		}
		h := held[next]
		p := plannedIssue(h.Issue)
		p.After = formatNumbers(h.By)
		if why := explainUnfit(h.Issue); why != "" {
			p.Passed, p.Do = why, repairFor(h.Issue, p.Number)
		} else {
			tonight = append(tonight, p.Number)
		}
		all = slices.Insert(all, placeAfter(all, h, ready), p)
		ready = append(ready, h.Issue)
		held = slices.Delete(held, next, next+1)
	}
	for _, h := range held {
		p := plannedIssue(h.Issue)
		p.Passed, p.Do = "it waits for "+formatIssues(h.By), "warp issue show "+formatNumbers(h.By)[0]
		all = append(all, p)
	}
	return all
}

// placeAfter returns the position of an issue that waits for others: behind them, before the first
// less urgent one, as a night takes them.
func placeAfter(all []nightreport.Issue, h forge.Held, known []forge.Issue) int {
	at := 0
	for i, p := range all {
		if slices.Contains(formatNumbers(h.By), p.Number) {
			at = i + 1
		}
	}
	for ; at < len(all); at++ {
		later := slices.IndexFunc(known, func(k forge.Issue) bool { return strconv.Itoa(k.Number) == all[at].Number })
		if later >= 0 && forge.Before(h.Issue, known[later]) {
			break
		}
	}
	return at
}

// judgeFollow reports whether a finished issue's pull request needs another cycle.
func (e *Engine) judgeFollow(ctx context.Context, p *nightreport.Issue) bool {
	f, passed, err := e.findFollow(ctx, p.Number)
	switch {
	case err != nil:
		e.remark("the pull request of #%s could not be read: %v", p.Number, err)
	case passed != "":
		p.Passed, p.Do = passed, "review its pull request; warp evidence "+p.Number
	case f != nil:
		if err := checkFollowable(ctx, e, f, 3); err != nil {
			p.Passed, p.Do = err.Error(), "warp drive "+p.Number+" there, or git switch to another branch"
			return false
		}
		p.Follows = fmt.Sprintf("%s: %s", pullName(f), f.Why)
	}
	return p.Follows != ""
}

func plannedIssue(i forge.Issue) nightreport.Issue {
	p := nightreport.Issue{Number: strconv.Itoa(i.Number), Title: i.Title}
	list, _ := criteria.Parse(i.Body) // a parse error is reported as the reason to pass it over
	for _, c := range list {
		if !c.Done {
			p.Criteria++
		}
	}
	return p
}

// repairFor returns the command that makes an issue fit.
func repairFor(i forge.Issue, number string) string {
	switch {
	case !i.Open:
		return "warp issue show " + number
	case !i.Has(forge.Approved) || i.ApprovedBy == "":
		return "warp issue approve " + number
	}
	return "warp issue edit " + number
}

// listClosed returns the closed issues, which forge.Order leaves out.
func listClosed(list []forge.Issue) []forge.Issue {
	return slices.DeleteFunc(slices.Clone(list), func(i forge.Issue) bool { return i.Open })
}

func formatNumbers(numbers []int) (list []string) {
	for _, n := range numbers {
		list = append(list, strconv.Itoa(n))
	}
	return list
}

// History returns the cost and time of the project's earlier requirements.
func (e *Engine) History() ([]nightreport.Past, error) {
	e.assemble()
	if err := readBook(e.ledger); err != nil {
		return nil, err
	}
	return nightreport.History(e.book), nil
}

// CheckReady finds what would keep every issue from being driven, before anything starts or costs
// money: no commit, no tests, no author, no agent, no login. Nil: nothing does.
func (e *Engine) CheckReady(ctx context.Context) (*evidence.Outcome, error) {
	cfg, err := e.Drive.Project.Settings()
	if err != nil {
		return nil, err
	}
	e.assemble()
	e.cfg = cfg
	if _, err := chooseLevel(e, cfg.Level); err != nil {
		return nil, err
	}
	if err = checkReady(e); err == nil {
		if err = e.Work.Identity(ctx); err != nil {
			err = needsPerson("do so, then try again", "%v", err)
		}
	}
	if err == nil {
		err = checkReachable(ctx, e)
	}
	if err == nil && (e.Mind == nil || !e.Mind.Judges) {
		if err = e.Agents.CheckInstalled(); err == nil {
			err = e.Agents.CheckLogin(ctx)
		}
		do := "warp agent list shows what is missing"
		if missing, is := errors.AsType[*agent.MissingError](err); is {
			do = cmp.Or(missing.Do, do)
		}
		switch {
		case err != nil && e.Mind != nil:
			err = needsPerson(do+"; warp config set guided_verifier session lets a subagent judge", "who judges your work: %v", err)
		case err != nil:
			err = needsPerson(do, "%v", err)
		}
	}
	o := e.outcomeOf(err)
	if o != nil { // no session to resume yet
		o.Do = strings.Replace(o.Do, "then warp resume", "then try again", 1)
	}
	return o, nil
}

// passOver says why an approved issue is not worked on, and records it for the night's summary.
func passOver(e *Engine, i forge.Issue, why string) {
	e.remark("skipping #%d: %s", i.Number, why)
	v, err := e.Drive.Read()
	if err != nil || e.book == nil {
		return // a dry run has no session
	}
	row := evidence.PassedOver{Issue: strconv.Itoa(i.Number), Epoch: v.State.Session.StartedAtEpoch, Title: i.Title, Why: e.Redact(why)}
	if _, known := evidence.Last(e.evidenceOfSession(v.State).PassedOver, func(p evidence.PassedOver) bool { return p == row }); !known {
		e.recordEvidence(v.State, event.PassedOver, row)
	}
}

// findPull returns the open pull request that the issue's last drive left to a person, or "".
func findPull(ctx context.Context, e *Engine, id string) string {
	if e.book == nil {
		return ""
	}
	last, ok := evidence.Last(e.book.Outcomes, func(o evidence.Outcome) bool { return o.Issue == id })
	if !ok || last.Row.Result != evidence.Pull {
		return ""
	}
	l, known := evidence.Last(e.book.Landed, func(l evidence.Landed) bool { return l.Issue == id && l.Pull > 0 })
	if known {
		if p, err := e.Tracker.Pull(ctx, l.Row.Pull); err == nil && !p.Open {
			return "" // merged or closed meanwhile
		}
	}
	return last.Row.Pull
}
