// Package webhook posts messages to a URL as JSON, signed so that the receiver
// knows who sent them. A message may come twice where a connection broke; its
// delivery id is the same then. What is queued, and when it is tried again, is
// left to engine/notify.
package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"warp/internal/engine/notify"
)

const limit = 30 * time.Second

// Config is what a channel needs.
type Config struct {
	URL    string
	Secret string // "": nothing is signed
	Client http.RoundTripper
	Now    func() time.Time
}

// Channel is a URL.
type Channel struct {
	Config
	client *http.Client
}

// New makes a channel. Nothing is sent yet.
func New(c Config) (*Channel, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("the webhook: its address must be a whole URL, such as https://example.com/hook")
	}
	if c.Client == nil {
		c.Client = http.DefaultTransport.(*http.Transport).Clone()
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Channel{c, &http.Client{Transport: c.Client, Timeout: limit, CheckRedirect: stay}}, nil
}

// Name is what the outbox calls it.
func (c *Channel) Name() string { return "webhook" }

// Close gives idle connections back.
func (c *Channel) Close() error { c.client.CloseIdleConnections(); return nil }

// body is what is posted.
type body struct {
	ID      string   `json:"id"`
	Seq     int64    `json:"seq"`
	At      string   `json:"at"`
	Project string   `json:"project"`
	Kind    string   `json:"kind"`
	Text    string   `json:"text"`
	Issue   string   `json:"issue,omitempty"`
	Chunk   int      `json:"chunk,omitempty"`
	Ask     string   `json:"question,omitempty"`
	Options []string `json:"options,omitempty"`
}

// Reach finds out whether the server answers, without a message: what it says to HEAD
// tells no more, as webhooks need to know only POST.
func (c *Channel) Reach(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, c.URL, nil)
	if err != nil {
		return errors.New("the webhook's address cannot be used")
	}
	resp, err := c.client.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err // the address may have a secret in it
		}
		return fmt.Errorf("reaching it: %w", err)
	}
	_ = resp.Body.Close()
	if code := resp.StatusCode; code >= 500 && code != http.StatusNotImplemented {
		return fmt.Errorf("the server answers %s", resp.Status)
	}
	return nil
}

// Send posts a letter.
func (c *Channel) Send(ctx context.Context, l notify.Letter) (int64, error) {
	at := l.At.UTC().Format(time.RFC3339)
	id := fmt.Sprintf("%s-%d-%d", l.Project, l.At.Unix(), l.Seq)
	text, err := json.Marshal(body{id, l.Seq, at, l.Project, l.Kind, l.Text, l.Issue, l.Chunk, l.Ask, l.Options})
	if err != nil {
		return 0, &notify.Refused{Why: err.Error()}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(text))
	if err != nil {
		return 0, &notify.Blocked{Why: "the webhook's address cannot be used"}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Warp-Event", l.Kind)
	req.Header.Set("X-Warp-Delivery", id)
	if c.Secret != "" {
		stamp := strconv.FormatInt(c.Now().Unix(), 10)
		req.Header.Set("X-Warp-Timestamp", stamp)
		req.Header.Set("X-Warp-Signature", Sign(c.Secret, stamp, text))
	}
	return 0, deliver(c.client, req)
}

// Sign is the signature of a body: HMAC-SHA256 over the time stamp, a dot and
// the body, so that an old one cannot be used again.
func Sign(secret, stamp string, body []byte) string {
	m := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(m, "%s.%s", stamp, body)
	return "sha256=" + hex.EncodeToString(m.Sum(nil))
}

// deliver sends a request and tells what its answer means.
func deliver(client *http.Client, req *http.Request) error {
	resp, err := client.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err // the address may have a secret in it
		}
		return fmt.Errorf("posting it: %w", err)
	}
	_ = resp.Body.Close()
	switch code := resp.StatusCode; {
	case code < 300:
		return nil
	case code == http.StatusTooManyRequests, code == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != "":
		n, _ := strconv.Atoi(resp.Header.Get("Retry-After")) // a date, or nothing: a moment
		return &notify.Later{After: time.Duration(n) * time.Second}
	case code == http.StatusRequestTimeout, code >= 500:
		return fmt.Errorf("the server answers %s", resp.Status)
	case code < 400, code == http.StatusUnauthorized, code == http.StatusForbidden, code == http.StatusNotFound:
		return &notify.Blocked{Why: fmt.Sprintf("the server answers %s: see its address and the secret", resp.Status)}
	default:
		return &notify.Refused{Why: "the server answers " + resp.Status}
	}
}
