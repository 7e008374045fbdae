// Package webhook posts messages to a URL as JSON, signed so that the receiver knows the sender.
// If a connection breaks, a message may be sent twice, with the same delivery id. Package
// engine/notify queues and retries.
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

// Config configures a channel.
type Config struct {
	URL    string
	Secret string // "" to sign nothing
	Client http.RoundTripper
	Now    func() time.Time
}

// Channel posts to one URL.
type Channel struct {
	Config
	client *http.Client
}

// New returns a channel. It sends nothing yet.
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

// Name returns the channel's name in the outbox.
func (c *Channel) Name() string { return "webhook" }

// Close closes idle connections.
func (c *Channel) Close() error { c.client.CloseIdleConnections(); return nil }

// body is the JSON that is posted.
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

// Reach checks whether the server answers, without a message. The status says little, since a
// webhook need only support POST.
func (c *Channel) Reach(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, c.URL, nil)
	if err != nil {
		return errors.New("the webhook's address cannot be used")
	}
	resp, err := c.client.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err // drop the URL: it may contain a secret
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

// Sign returns the signature of a body: HMAC-SHA256 over the timestamp, a dot and the body, so that
// an old message cannot be replayed.
func Sign(secret, stamp string, body []byte) string {
	m := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(m, "%s.%s", stamp, body)
	return "sha256=" + hex.EncodeToString(m.Sum(nil))
}

// deliver sends a request and translates the answer.
func deliver(client *http.Client, req *http.Request) error {
	resp, err := client.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err // drop the URL: it may contain a secret
		}
		return fmt.Errorf("posting it: %w", err)
	}
	_ = resp.Body.Close()
	switch code := resp.StatusCode; {
	case code < 300:
		return nil
	case code == http.StatusTooManyRequests, code == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != "":
		n, _ := strconv.Atoi(resp.Header.Get("Retry-After")) // 0 for a date or nothing: retry soon
		return &notify.Later{After: time.Duration(n) * time.Second}
	case code == http.StatusRequestTimeout, code >= 500:
		return fmt.Errorf("the server answers %s", resp.Status)
	case code < 400, code == http.StatusUnauthorized, code == http.StatusForbidden, code == http.StatusNotFound:
		return &notify.Blocked{Why: fmt.Sprintf("the server answers %s: check its address and the secret", resp.Status)}
	default:
		return &notify.Refused{Why: "the server answers " + resp.Status}
	}
}
