package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"warp/internal/engine/notify"
)

// maxAnswer limits the size of an answer.
const maxAnswer = 8 << 20

// response is an answer of the Bot API.
type response struct {
	OK          bool            `json:"ok"`
	Result      json.RawMessage `json:"result"`
	Code        int             `json:"error_code"`
	Description string          `json:"description"`
	Parameters  struct {
		RetryAfter int   `json:"retry_after"`
		MigrateTo  int64 `json:"migrate_to_chat_id"`
	} `json:"parameters"`
}

// refusal is a 4xx error with the server's text.
type refusal struct{ words string }

func (r *refusal) Error() string { return r.words }

// call calls a method. The token is part of the URL, so no error may contain the URL.
func (c *Channel) call(ctx context.Context, limit time.Duration, method string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/bot"+c.token+"/"+method, bytes.NewReader(body))
	if err != nil {
		return &notify.Blocked{Why: "the address of the Bot API cannot be used"} // the error would show the whole URL
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.client.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %s", method, c.hide(stripURL(err)))
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	var r response
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		return fmt.Errorf("%s: the answer (%d) cannot be read: %s", method, resp.StatusCode, c.hide(err.Error()))
	}
	if !r.OK {
		return c.refused(method, resp.StatusCode, r)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(r.Result, out); err != nil {
		return fmt.Errorf("%s: the answer cannot be understood: %s", method, c.hide(err.Error()))
	}
	return nil
}

// callWithRetries calls an idempotent method, with a few retries.
func (c *Channel) callWithRetries(ctx context.Context, method string, in any) error {
	for n := 1; ; n++ {
		err := c.call(ctx, sending, method, in, nil)
		var no *refusal
		var blocked *notify.Blocked
		if err == nil || n == 5 || errors.As(err, &no) || errors.As(err, &blocked) {
			return err
		}
		wait := time.Second
		var later *notify.Later
		if errors.As(err, &later) {
			wait = max(wait, later.After)
		}
		if wait > sending {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return err
		}
	}
}

// refused translates an error of the API into what it means for the letter.
func (c *Channel) refused(method string, status int, r response) error {
	if r.Code == 0 {
		r.Code = status
	}
	words := c.hide(r.Description)
	blocked := func(format string, args ...any) error { return &notify.Blocked{Why: fmt.Sprintf(format, args...)} }
	switch {
	case r.Code == http.StatusTooManyRequests:
		return &notify.Later{After: time.Duration(r.Parameters.RetryAfter) * time.Second}
	case r.Code == http.StatusUnauthorized, r.Code == http.StatusNotFound:
		return blocked("Telegram does not know the token (%s): check TELEGRAM_BOT_TOKEN or the token's file", words)
	case r.Code == http.StatusForbidden:
		return blocked("Telegram does not let the bot write to the chat (%s): open the chat and start the bot", words)
	case r.Code == http.StatusConflict:
		return blocked("another program polls with this token (%s): give each project its own bot", words)
	case r.Parameters.MigrateTo != 0:
		return blocked("the chat has a new number: warp rdb on --chat %d", r.Parameters.MigrateTo)
	case r.Code == http.StatusBadRequest && strings.Contains(words, "chat not found"):
		return blocked("Telegram does not know the chat %d: start the bot there, or set another with warp rdb on --chat", c.chat)
	case r.Code >= 400 && r.Code < 500:
		return &refusal{words}
	}
	return fmt.Errorf("%s: Telegram answers %d %s", method, r.Code, words)
}

// stripURL drops the URL, which a URL error repeats.
func stripURL(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return err.Error()
}

func (c *Channel) hide(text string) string { return strings.ReplaceAll(text, c.token, "***") }
