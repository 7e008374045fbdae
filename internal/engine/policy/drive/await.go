package drive

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/config"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/forge"
	"warp/internal/turnstile/documents"
)

const (
	pollPause   = time.Minute     // between two polls of pending checks
	checksBegin = 2 * time.Minute // how long the checks of a new commit may take to show up
	mostFailed  = 5               // polls that may fail in a row
)

// AwaitFollow waits while checks of pull requests are pending, and returns the issue whose pull
// request needs another cycle, or "" if none does or the deadline passed. It looks at the issues in
// only, or at all if that is empty. No session is open meanwhile, so no budget is charged.
func (e *Engine) AwaitFollow(ctx context.Context, until time.Time, only []string, wait func(context.Context, time.Time, string) error) (string, error) {
	e.assemble()
	for failed := 0; ; {
		issue, pending, err := e.lookAtPulls(ctx, only, func(f *evidence.Follow) bool { return isReachable(ctx, e, f) })
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		switch {
		case err == nil:
			failed = 0
		case failed == mostFailed:
			return "", err
		default:
			failed++
			e.remark("pull requests could not be read: %v", err)
			pending = append(pending, "pull requests cannot be read")
		}
		now := e.Now()
		if issue != "" || len(pending) == 0 || !now.Before(until) {
			return issue, nil
		}
		next := now.Add(pollPause)
		if next.After(until) {
			next = until
		}
		if err := wait(ctx, next, strings.Join(pending, ", ")); err != nil {
			return "", err
		}
	}
}

// lookAtPulls polls once: for the next issue to follow whose branch is free, else for pending checks.
func (e *Engine) lookAtPulls(ctx context.Context, only []string, isFree func(*evidence.Follow) bool) (issue string, pending []string, err error) {
	landed, err := documents.ListLanded(e.home)
	if err != nil {
		return "", nil, err
	}
	driven := listDrivenElsewhere(e)
	for _, l := range landed {
		if l.Issue == "" || l.Pull == 0 || driven[l.Issue] != "" || len(only) > 0 && !slices.Contains(only, l.Issue) {
			continue
		}
		e.underWay = ""
		f, err := e.findFit(ctx, l.Issue)
		switch {
		case err != nil:
			return "", nil, err
		case f != nil && !wasHandedOut(e, f) && isFree(f):
			e.handedOut = append(e.handedOut, f.Causes...)
			return l.Issue, nil, nil
		case f == nil && e.underWay != "":
			pending = append(pending, e.underWay)
		}
	}
	return "", pending, nil
}

// noteUnderWay remembers that checks of a pull request have not ended, or not begun, if their end
// could start another cycle.
func noteUnderWay(e *Engine, checks []forge.Check, landed evidence.Entry[evidence.Landed], f *evidence.Follow) {
	at, err := time.Parse(time.RFC3339, landed.At)
	begins := len(checks) == 0 && err == nil && landed.Row.Commit == f.Commit && e.Now().Sub(at) < checksBegin
	if i := slices.IndexFunc(checks, func(c forge.Check) bool { return c.Verdict == forge.Pending }); i >= 0 {
		e.underWay = fmt.Sprintf("the check %s of %s is under way", text.Clip(text.OneLine(checks[i].Name), 60), pullName(f))
	} else if begins {
		e.underWay = "the checks of " + pullName(f) + " have not begun"
	}
}

// isReachable reports whether the branch of a pull request is free, or checked out in this work
// tree.
func isReachable(ctx context.Context, e *Engine, f *evidence.Follow) bool {
	user, err := e.Work.FindUser(ctx, f.Branch)
	return err == nil && user == e.Work.Top() || checkFollowable(ctx, e, f, 3) == nil
}

// wasHandedOut reports whether a cycle was already handed out for one of the causes.
func wasHandedOut(e *Engine, f *evidence.Follow) bool {
	return slices.ContainsFunc(e.handedOut, func(cause string) bool { return slices.Contains(f.Causes, cause) })
}

// explainUnfollowed returns which limit of the requirement is reached, or "". Checks that stay red
// would otherwise start cycle after cycle; a person's request restarts the count.
func explainUnfollowed(cfg config.Settings, past *evidence.Book, f *evidence.Follow) string {
	cycles := 0
	for _, e := range past.Follows {
		if cycles++; e.Row.Asked {
			cycles = 0
		}
	}
	if most := max(1, cfg.Limits.CodingCycles); !f.Asked && cycles >= most {
		return fmt.Sprintf("%s, still after %s (max_coding_cycles)", f.Why, text.Count(cycles, "cycle"))
	}
	if limit := cfg.SessionMicroUSD; limit > 0 && past.Cost(0).MicroUSD >= limit {
		return fmt.Sprintf("%s, and the %s for it are spent (max_session_cost)", f.Why, evidence.Dollars(limit))
	}
	if limit := time.Duration(cfg.Limits.SessionMinutes) * time.Minute; limit > 0 && timeTaken(past) >= limit {
		return fmt.Sprintf("%s, and the %s for it are over (max_session_minutes)", f.Why, text.Count(cfg.Limits.SessionMinutes, "minute"))
	}
	return ""
}

// timeTaken returns how long agents and tests worked. Unlike a session's duration, it leaves out
// waiting for people.
func timeTaken(book *evidence.Book) time.Duration {
	seconds := book.Cost(0).Seconds
	for _, t := range book.Tests {
		seconds += t.Row.Seconds
	}
	return time.Duration(seconds * float64(time.Second))
}

// earlierTime returns what earlier cycles of the pull request took of the session's time: they
// share one limit.
func (t *turn) earlierTime() time.Duration {
	if t.following() == nil {
		return 0
	}
	return timeTaken(t.book.Of(t.s.Issue(), 0)) - timeTaken(t.evidenceOfIssue(t.s))
}
