package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/text"
	"warp/internal/engine/forge"
)

// failure is what is known of a failed request.
type failure struct {
	Doing   string
	Resp    *http.Response // nil: no answer
	Message string         // from the server
	Err     error
	Now     time.Time
	Secret  string // never shown
}

// Error returns a failure in the port's terms. If the context has ended, it says only that: nothing
// is wrong with the tracker then.
func (f failure) Error(ctx context.Context) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", f.Doing, ctx.Err())
	}
	e := &forge.Error{Doing: f.Doing}
	if f.Resp == nil {
		e.Reason, e.Why = forge.Unreachable, f.words(cause(f.Err))
		e.Advice = "check that the network and the tracker are up, then try again"
		return e
	}
	status := f.Resp.StatusCode
	e.Why = fmt.Sprintf("the tracker answers %d %s", status, http.StatusText(status))
	if said := f.words(f.Message); said != "" {
		e.Why += " (" + said + ")"
	}
	switch {
	case isThrottled(f.Resp) || status == http.StatusForbidden && strings.Contains(strings.ToLower(f.Message), "rate limit"):
		e.Reason, e.Reset = forge.RateLimited, reset(f.Resp.Header, f.Now)
		e.Advice = "wait a while, then try again"
		if !e.Reset.IsZero() {
			e.Advice = "try again after " + text.LocalTime(e.Reset)
		}
	case status == http.StatusUnauthorized:
		e.Reason = forge.NoLogin
	case status == http.StatusForbidden:
		e.Reason = forge.NotAllowed
	case status == http.StatusNotFound, status == http.StatusGone:
		e.Reason = forge.NotFound
	case status == http.StatusConflict, status == http.StatusMethodNotAllowed:
		e.Reason, e.Advice = forge.Conflict, "check what changed there, then try again"
	case status >= 500:
		e.Reason, e.Advice = forge.Unreachable, "the tracker is in trouble; try again later"
	case status >= 400:
		e.Reason, e.Advice = forge.Invalid, "fix what it rejects, then try again"
	default:
		e.Reason, e.Why = forge.Unreachable, "its answer is unreadable: "+f.words(cause(f.Err))
		e.Advice = "check that its address is that of an API"
	}
	return e
}

// cause leaves out what a URL error repeats of the request.
func cause(err error) string {
	if u, is := errors.AsType[*url.Error](err); is {
		err = u.Err
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

// words turns a server's text into one short line, without the secret.
func (f failure) words(s string) string {
	if f.Secret != "" {
		s = strings.ReplaceAll(s, f.Secret, "***")
	}
	return text.ClipRunes(text.OneLine(text.Visible(s)), 300)
}

// reset returns when a rate limit ends; zero if the server does not say.
func reset(h http.Header, now time.Time) time.Time {
	if after, ok := seconds(h); ok {
		return now.Add(after)
	}
	if n, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64); err == nil && n > 0 {
		return time.Unix(n, 0)
	}
	return time.Time{}
}
