package rest

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// timeout bounds one answer, whatever the caller's context says.
const timeout = 60 * time.Second

// newClient returns a client that retries, caches, and follows no redirect to another host.
func newClient(base http.RoundTripper, sleep func(context.Context, time.Duration) error) *http.Client {
	if base == nil {
		base = http.DefaultTransport
	}
	return &http.Client{Transport: &cache{Base: retry{Base: base, Sleep: sleep}}, Timeout: timeout, CheckRedirect: sameHost}
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
