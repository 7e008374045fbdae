package sessions

import (
	"context"
	"fmt"
	"strconv"

	"warp/internal/core/sessionstate"
	"warp/internal/engine/forge"
	"warp/internal/engine/policy/session"
)

// issueQueue is the tracker's issues with a label. A claim is a hidden line in the issue's text:
// every tracker has a text and rejects an edit of an outdated one, so only one of two sessions
// gets the issue.
type issueQueue struct {
	t     forge.Tracker
	label string
	by    sessionstate.Holder
}

func (q issueQueue) Ready(ctx context.Context) (ready []session.Item, held int, err error) {
	list, err := q.t.List(ctx, forge.Query{Labels: []string{q.label}})
	if err != nil {
		return nil, 0, err
	}
	free, waiting := forge.Order(list, forge.StillOpen(ctx, q.t))
	for _, i := range free {
		by, text := forge.ClaimOf(i.Body)
		if by != "" {
			held++
			continue
		}
		ready = append(ready, session.Item{ID: strconv.Itoa(i.Number), Title: i.Title, Text: text})
	}
	return ready, held + len(waiting), nil
}

func (q issueQueue) Claim(ctx context.Context, id string) error {
	n, err := number(id)
	if err != nil {
		return err
	}
	issue, err := q.t.Get(ctx, n)
	if err != nil && !isGone(err) {
		return err
	}
	if !issue.Open {
		return &session.ClaimedError{ID: id}
	}
	return q.t.Edit(ctx, n, func(body string) (string, error) {
		by, text := forge.ClaimOf(body)
		if by != "" && by != q.by.String() {
			return "", &session.ClaimedError{ID: id, By: by}
		}
		return forge.AddClaim(text, q.by.String()), nil
	})
}

func (q issueQueue) Release(ctx context.Context, id string) error {
	n, err := number(id)
	if err != nil {
		return err
	}
	err = q.t.Edit(ctx, n, func(body string) (string, error) {
		by, text := forge.ClaimOf(body)
		if by != q.by.String() {
			return body, nil
		}
		return text, nil
	})
	if isGone(err) {
		return nil
	}
	return err
}

func isGone(err error) bool { return forge.Is(err, forge.NotFound) }

func (q issueQueue) Close(ctx context.Context, id, why string) error {
	n, err := number(id)
	if err != nil {
		return err
	}
	if err := q.t.Comment(ctx, n, forge.NewComment{Body: why, Once: "session-closed"}); err != nil {
		return err
	}
	if err := q.t.Close(ctx, n); err != nil {
		return err
	}
	return q.Release(ctx, id)
}

func (q issueQueue) Claims(ctx context.Context) (list []session.Claim, err error) {
	open, err := q.t.List(ctx, forge.Query{Labels: []string{q.label}})
	for _, i := range open {
		text, _ := forge.ClaimOf(i.Body)
		if by, ok := sessionstate.ParseHolder(text); ok {
			list = append(list, session.Claim{ID: strconv.Itoa(i.Number), By: by})
		}
	}
	return list, err
}

func number(id string) (int, error) {
	n, err := strconv.Atoi(id)
	if err != nil {
		return 0, fmt.Errorf("%q is not an issue number", id)
	}
	return n, nil
}
