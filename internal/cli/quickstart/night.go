package quickstart

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warp/internal/cli/app"
	"warp/internal/cli/drivecmd"
	"warp/internal/cli/issue"
	"warp/internal/core/criteria"
	"warp/internal/core/text"
	"warp/internal/engine/filing"
	"warp/internal/engine/forge"
)

// writeIssue helps to write a first issue, unless one is approved.
func (s *setup) writeIssue(ctx context.Context) error {
	ready, err := s.tracker.List(ctx, forge.Query{Labels: []string{"req", forge.Approved}})
	if err != nil {
		return err
	}
	s.approved = len(ready)
	switch {
	case s.o.noIssue:
		return nil
	case s.o.title != "":
		return s.fileIssue(ctx)
	case s.approved > 0:
		s.say("Issues", "%s approved", text.Count(s.approved, "issue"))
		return nil
	case s.o.describe != "":
		return s.draftIssue(ctx, s.o.describe)
	}
	if offered, err := s.offerIssues(ctx); err != nil || offered {
		return err
	}
	edits, hasEditor := "", app.EditorCommand(s.app) != ""
	if hasEditor {
		edits = "; e opens your editor"
	}
	wish, err := s.ask.line(ctx, "What should be built first? Say it in a sentence and the agent writes the issue"+edits+"; Enter skips:", "")
	switch {
	case err != nil || wish == "":
		return err
	case wish == "e" && hasEditor:
		i, err := issue.Write(ctx, s.app, s.drive, s.tracker, "", "")
		if err != nil {
			return err
		}
		return s.approve(ctx, i)
	}
	return s.draftIssue(ctx, wish)
}

// mostOffered is the most issues to ask about; more are work for warp issue.
const mostOffered = 5

// offerIssues offers to approve existing issues that could be driven. With --yes it only lists
// them: on a server, anyone may have written them.
func (s *setup) offerIssues(ctx context.Context) (offered bool, err error) {
	all, err := s.tracker.List(ctx, forge.Query{})
	if err != nil {
		return false, err
	}
	for n, i := range slices.DeleteFunc(all, isDecided) {
		if offered = true; n == mostOffered {
			s.say("Issues", "there are more that are not approved: warp issue list")
			break
		}
		if s.o.yes {
			s.left = append(s.left, fmt.Sprintf("warp issue approve %d    %s", i.Number, text.VisibleLine(i.Title)))
			continue
		}
		s.app.Printf("\n")
		issue.Show(s.app, i)
		s.app.Printf("\n")
		if err := s.approve(ctx, i); err != nil {
			return true, err
		}
	}
	return offered, nil
}

// isDecided reports whether no decision is needed: the issue is approved, warp's own, or has no
// open criterion.
func isDecided(i forge.Issue) bool {
	list, err := criteria.Parse(i.Body)
	return i.ApprovedBy != "" || i.Has(filing.Drive) || err != nil || !slices.ContainsFunc(list, func(c criteria.Criterion) bool { return !c.Done })
}

// fileIssue files the issue of the command line, unless one has its title.
func (s *setup) fileIssue(ctx context.Context) error {
	all, err := s.tracker.List(ctx, forge.Query{Closed: true})
	if err != nil {
		return err
	}
	for _, i := range all {
		if i.Title == s.o.title {
			s.say("Issue", "#%d %s is there already", i.Number, text.VisibleLine(i.Title))
			if i.Open && i.ApprovedBy == "" {
				return s.approve(ctx, i)
			}
			return nil
		}
	}
	i, err := issue.Write(ctx, s.app, s.drive, s.tracker, s.o.title, s.o.body)
	if err != nil {
		return err
	}
	return s.approve(ctx, i)
}

// draftIssue lets an agent write the issue, and does not approve it unread.
func (s *setup) draftIssue(ctx context.Context, wish string) error {
	i, err := issue.Draft(ctx, s.app, s.drive, s.tracker, "", wish)
	if err != nil && ctx.Err() == nil { // continue with the rest of the setup
		s.say("Issue", "%v", err)
		s.left = append(s.left, "warp issue new    writes an issue; then warp issue approve NUMBER")
		return nil
	}
	if err != nil {
		return err
	}
	s.app.Printf("\n")
	issue.Show(s.app, i)
	s.app.Printf("\n")
	if s.o.yes {
		s.left = append(s.left, fmt.Sprintf("warp issue approve %d    an agent wrote it: read it first", i.Number))
		return nil
	}
	return s.approve(ctx, i)
}

// approve lints an issue and approves it if the person agrees.
func (s *setup) approve(ctx context.Context, i forge.Issue) error {
	refused, err := issue.Check(ctx, s.app, s.tracker, i)
	if err != nil {
		return err
	}
	if refused {
		s.left = append(s.left, fmt.Sprintf("warp issue edit %d --body-file FILE && warp issue approve %d", i.Number, i.Number))
		return nil
	}
	yes, err := s.ask.confirm(ctx, fmt.Sprintf("Approve #%d for a drive?", i.Number))
	if err != nil || !yes {
		return err
	}
	if _, err := issue.Approve(ctx, s.tracker, i.Number, false); err != nil {
		return err
	}
	s.approved++
	s.say("Issue", "#%d %s is approved", i.Number, text.VisibleLine(i.Title))
	return nil
}

// showNight shows the plan and the command that starts it.
func (s *setup) showNight(ctx context.Context) error {
	if s.approved == 0 {
		if len(s.left) == 0 {
			s.app.Printf("\nNext: warp issue new writes an issue, warp issue approve N releases it, warp drive does it.\n")
		}
		return nil
	}
	if len(s.left) > 0 {
		return nil // a drive would refuse
	}
	s.app.Printf("\n")
	err := drivecmd.ShowPlan(ctx, s.app, s.drive)
	if _, is := errors.AsType[*app.Silent](err); is { // it says what a drive would be refused for: what is set up stays
		s.left = append(s.left, "warp drive --dry-run    until it shows the night: the line above says what to do")
		return nil
	}
	if err != nil {
		return err
	}
	s.app.Printf("\nStart it:\n  warp drive --detach\n")
	return nil
}
