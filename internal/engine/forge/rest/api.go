// Package rest is an issue tracker behind a REST API that is GitHub's, or modelled on it as Gitea's
// is. Issues, comments and pull requests look alike on both; what differs (labels, approvals,
// merging) is a Dialect, which the adapters provide.
//
// Requests are retried if a server fails and that is safe, short waits that a server asks for are
// observed, unchanged answers are not sent again, and failures are reported in the port's terms
// without secrets.
package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"warp/internal/engine/forge"
)

// longestMessage bounds how much of a refusal is read, in bytes.
const longestMessage = 64 << 10

// API talks to one server, as one user.
type API struct {
	Base   string // of all addresses, with a trailing slash
	Token  string // "": none; never shown
	Scheme string // precedes the token: Bearer
	Header http.Header
	Client *http.Client
	Now    func() time.Time
	// Advise adds advice to an error.
	Advise func(e *forge.Error, answer http.Header)
}

// Read decodes the resource at a path.
func (a *API) Read(ctx context.Context, doing, path string, out any) error {
	_, err := a.send(ctx, doing, http.MethodGet, path, nil, out)
	return err
}

// Send sends in as JSON, and decodes the answer into out; both may be nil. The status is 0 if there
// was no answer.
func (a *API) Send(ctx context.Context, doing, method, path string, in, out any) (status int, err error) {
	resp, err := a.send(ctx, doing, method, path, in, out)
	if resp != nil {
		status = resp.StatusCode
	}
	return status, err
}

// send sends a request. It closes the answer's body.
func (a *API) send(ctx context.Context, doing, method, path string, in, out any) (*http.Response, error) {
	f := failure{Doing: doing, Now: a.Now(), Secret: a.Token}
	req, err := a.request(ctx, method, path, in)
	if err == nil {
		f.Resp, err = a.Client.Do(req)
	}
	if err != nil {
		f.Resp, f.Err = nil, err
		return nil, a.advised(f.Error(ctx), nil)
	}
	defer f.Resp.Body.Close()
	switch {
	case f.Resp.StatusCode/100 != 2:
		f.Message = message(f.Resp.Body)
		return f.Resp, a.advised(f.Error(ctx), f.Resp.Header)
	case out == nil:
		return f.Resp, nil
	}
	if f.Err = json.NewDecoder(f.Resp.Body).Decode(out); f.Err != nil {
		return f.Resp, a.advised(f.Error(ctx), f.Resp.Header)
	}
	return f.Resp, nil
}

// request builds a request; path may also be a whole address.
func (a *API) request(ctx context.Context, method, path string, in any) (*http.Request, error) {
	if !strings.Contains(path, "://") {
		path = a.Base + path
	}
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, a.Header)
	req.Header.Set("User-Agent", "warp")
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if a.Token != "" {
		req.Header.Set("Authorization", a.Scheme+" "+a.Token)
	}
	return req, nil
}

func (a *API) advised(err error, answer http.Header) error {
	var e *forge.Error
	if errors.As(err, &e) {
		a.Advise(e, answer)
	}
	return err
}

// message returns a server's message about a refusal, and its errors for each field.
func message(body io.Reader) string {
	var said struct {
		Message string            `json:"message"`
		Errors  []json.RawMessage `json:"errors"`
	}
	text, _ := io.ReadAll(io.LimitReader(body, longestMessage))
	_ = json.Unmarshal(text, &said) // a proxy's error page has nothing useful
	words := []string{said.Message}
	for _, raw := range said.Errors {
		var e struct{ Message, Field, Code string }
		if json.Unmarshal(raw, &e) != nil {
			_ = json.Unmarshal(raw, &e.Message)
		}
		words = append(words, e.Message, e.Field, e.Code)
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// pages reads a list page by page, until there are no more or fn returns false.
func pages[T any](ctx context.Context, a *API, doing, path string, query url.Values, fn func([]T) (more bool)) error {
	query = maps.Clone(query)
	for asked := map[string]bool{}; !asked[query.Encode()]; {
		asked[query.Encode()] = true
		var list []T
		resp, err := a.send(ctx, doing, http.MethodGet, path+"?"+query.Encode(), nil, &list)
		if err != nil {
			return err
		}
		next := nextPage(resp.Header)
		if !fn(list) || len(next) == 0 {
			return nil
		}
		maps.Copy(query, next)
	}
	return nil
}

// nextPage returns the next page's query from the Link header, and only that: another address in it
// would get the token.
func nextPage(h http.Header) url.Values {
	for _, link := range strings.Split(h.Get("Link"), "<") {
		address, params, _ := strings.Cut(link, ">")
		if u, err := url.Parse(address); err == nil && strings.Contains(params, `rel="next"`) {
			return u.Query()
		}
	}
	return nil
}
