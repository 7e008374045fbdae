// Package ntfy publishes messages to a topic of an ntfy server, which shows them on phones. If a
// connection breaks, a message may be sent twice; servers that know sequence ids show it once.
// Package engine/notify queues and retries.
package ntfy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/redact/wire"
	"warp/internal/engine/notify"
)

const limit = 30 * time.Second

// Config configures a channel.
type Config struct {
	URL    string // server and topic
	Token  string // "" for none
	Client http.RoundTripper
}

// Channel publishes to one topic.
type Channel struct {
	Config
	client *http.Client
}

// New returns a channel. It sends nothing yet.
func New(c Config) (*Channel, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || strings.Trim(u.Path, "/") == "" {
		return nil, errors.New("ntfy: its address must be a server and a topic, such as https://ntfy.sh/my-topic")
	}
	if c.Token != "" && !wire.MayCarrySecrets(c.URL) {
		return nil, errors.New("ntfy: its address must begin with https://, as NTFY_TOKEN is sent there")
	}
	if c.Client == nil {
		c.Client = http.DefaultTransport.(*http.Transport).Clone()
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Channel{c, &http.Client{Transport: c.Client, Timeout: limit, CheckRedirect: stay}}, nil
}

// Name returns the channel's name in the outbox.
func (c *Channel) Name() string { return "ntfy" }

// Close closes idle connections.
func (c *Channel) Close() error { c.client.CloseIdleConnections(); return nil }

// Reach checks whether the topic can be written to, without a message: ntfy servers answer that at
// /auth. A server that does not know /auth is at least reachable.
func (c *Channel) Reach(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(c.URL, "/")+"/auth", nil)
	if err != nil {
		return errors.New("the address of ntfy cannot be used")
	}
	resp, err := c.do(req)
	if err != nil {
		return fmt.Errorf("reaching it: %w", err)
	}
	if code := resp.StatusCode; code == http.StatusNotFound || code == http.StatusMethodNotAllowed {
		return nil
	}
	return interpretStatus(resp)
}

// do sends a request as the topic's user. It drops the body of the answer.
func (c *Channel) do(req *http.Request) (*http.Response, error) {
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	resp, err := c.client.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err // drop the URL: anyone who knows the topic can write to it
		}
		return nil, err
	}
	return resp, resp.Body.Close()
}

// Send publishes a letter. A question gets a higher priority.
func (c *Channel) Send(ctx context.Context, l notify.Letter) (int64, error) {
	text := l.Text
	if l.Ask != "" {
		text += "\nwarp answer " + l.Ask + " …"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, strings.NewReader(text))
	if err != nil {
		return 0, &notify.Blocked{Why: "the address of ntfy cannot be used"}
	}
	req.Header.Set("X-Sequence-ID", fmt.Sprintf("warp-%d-%d", l.At.Unix(), l.Seq))
	if p := map[notify.Urgency]string{notify.Low: "low", notify.High: "high"}[l.Urgency()]; p != "" {
		req.Header.Set("Priority", p)
	}
	resp, err := c.do(req)
	if err != nil {
		return 0, fmt.Errorf("publishing it: %w", err)
	}
	return 0, interpretStatus(resp)
}

func interpretStatus(resp *http.Response) error {
	switch code := resp.StatusCode; {
	case code < 300:
		return nil
	case code == http.StatusTooManyRequests:
		n, _ := strconv.Atoi(resp.Header.Get("Retry-After")) // 0 if missing: retry soon
		return &notify.Later{After: time.Duration(n) * time.Second}
	case code >= 500:
		return fmt.Errorf("the server answers %s", resp.Status)
	case code == http.StatusBadRequest, code == http.StatusRequestEntityTooLarge:
		return &notify.Refused{Why: "the server answers " + resp.Status}
	}
	return &notify.Blocked{Why: fmt.Sprintf("the server answers %s: check the topic and NTFY_TOKEN", resp.Status)}
}
