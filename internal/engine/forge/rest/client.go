package rest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// timeout bounds one answer, whatever the caller's context says.
const timeout = 60 * time.Second

// newClient returns a client that retries, caches, and follows no redirect to another host.
func newClient(sleep func(context.Context, time.Duration) error) *http.Client {
	return &http.Client{Transport: &cache{Base: retry{Base: http.DefaultTransport, Sleep: sleep}}, Timeout: timeout, CheckRedirect: sameHost}
}

// sameHost keeps a redirect from carrying the token to another server.
func sameHost(req *http.Request, via []*http.Request) error {
	if req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme {
		return errors.New("the tracker redirects to another host, which is not followed")
	}
	if len(via) > 5 {
		return errors.New("the tracker redirects in a circle")
	}
	return nil
}

const (
	maxKept  = 256     // answers
	maxBytes = 1 << 20 // per answer
)

// cache revalidates cached answers by their ETag. That does not count against a rate limit if
// nothing has changed, and no answer is used without asking.
type cache struct {
	Base http.RoundTripper
	mu   sync.Mutex
	kept map[string]answer
	ages []string // oldest first
}

type answer struct {
	etag   string
	header http.Header
	body   []byte
}

func (c *cache) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet || req.Header.Get("If-None-Match") != "" {
		return c.Base.RoundTrip(req)
	}
	key := req.URL.String()
	c.mu.Lock()
	have, found := c.kept[key]
	c.mu.Unlock()
	if found {
		req = req.Clone(req.Context())
		req.Header.Set("If-None-Match", have.etag)
	}
	resp, err := c.Base.RoundTrip(req)
	switch {
	case err != nil:
		return resp, err
	case found && resp.StatusCode == http.StatusNotModified:
		_ = resp.Body.Close()
		return have.response(req), nil
	case resp.StatusCode == http.StatusOK && resp.Header.Get("ETag") != "":
		return c.keep(key, resp)
	}
	return resp, nil
}

func (a answer) response(req *http.Request) *http.Response {
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header.Clone(), Body: io.NopCloser(bytes.NewReader(a.body)), ContentLength: int64(len(a.body)), Request: req,
	}
}

func (c *cache) keep(key string, resp *http.Response) (*http.Response, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBytes+1))
	if err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	if len(body) > maxBytes {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(body), resp.Body), resp.Body}
		return resp, nil
	}
	_ = resp.Body.Close()
	a := answer{resp.Header.Get("ETag"), resp.Header.Clone(), body}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		c.kept = map[string]answer{}
	}
	if _, old := c.kept[key]; old {
		c.ages = slices.DeleteFunc(c.ages, func(k string) bool { return k == key })
	} else if len(c.ages) >= maxKept {
		delete(c.kept, c.ages[0])
		c.ages = c.ages[1:]
	}
	c.kept[key], c.ages = a, append(c.ages, key)
	return a.response(resp.Request), nil
}
