package rest

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	tries = 3
	// patience is the longest wait observed here when a server asks for one. The caller decides
	// about longer ones.
	patience = 10 * time.Second
	// MaxAnswer bounds an answer, in bytes.
	MaxAnswer = 64 << 20
)

// retry repeats requests where that is safe: reads after 5xx or no answer, everything after a
// refusal that names a short wait.
type retry struct {
	Base  http.RoundTripper
	Sleep func(context.Context, time.Duration) error
}

func (t retry) RoundTrip(req *http.Request) (*http.Response, error) {
	for try := 1; ; try++ {
		r := req.Clone(req.Context())
		if req.GetBody != nil {
			body, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			r.Body = body
		}
		resp, err := t.Base.RoundTrip(r)
		wait, again := pause(r, resp, err, try)
		if !again || req.Body != nil && req.GetBody == nil {
			return bounded(resp), err
		}
		if resp != nil {
			_, _ = io.CopyN(io.Discard, resp.Body, 1<<16)
			_ = resp.Body.Close()
		}
		if err := t.Sleep(req.Context(), wait); err != nil {
			return nil, err
		}
	}
}

// pause returns whether, and after what time, to repeat a request.
func pause(req *http.Request, resp *http.Response, err error, try int) (time.Duration, bool) {
	if try >= tries || req.Context().Err() != nil {
		return 0, false
	}
	backoff := 250 * time.Millisecond << (2 * (try - 1))
	reading := req.Method == http.MethodGet || req.Method == http.MethodHead
	if err != nil {
		return backoff, reading
	}
	after, asked := seconds(resp.Header)
	switch {
	case resp.StatusCode >= 500 && reading && after <= patience:
		return max(after, backoff), true
	case isThrottled(resp) && asked && after <= patience:
		return after, true
	}
	return 0, false
}

// isThrottled reports whether an answer only means "slow down".
func isThrottled(resp *http.Response) bool {
	if resp.StatusCode == http.StatusTooManyRequests {
		return true
	}
	return resp.StatusCode == http.StatusForbidden &&
		(resp.Header.Get("Retry-After") != "" || resp.Header.Get("X-RateLimit-Remaining") == "0")
}

// seconds reads Retry-After as a number, as trackers send it.
func seconds(h http.Header) (time.Duration, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(h.Get("Retry-After")))
	if err != nil || n < 0 {
		return 0, false
	}
	return time.Duration(min(n, 1<<30)) * time.Second, true
}

func bounded(resp *http.Response) *http.Response {
	if resp != nil && resp.Body != nil {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, MaxAnswer), resp.Body}
	}
	return resp
}
