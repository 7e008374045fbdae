package telegram

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"
)

// Say lets someone write into a chat. ReplyTo is the id of the message that is
// replied to; 0: none.
func (s *Server) Say(chat int64, who, text string, replyTo int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	s.messages = append(s.messages, Message{ID: s.next, Chat: chat, Text: text})
	m := map[string]any{"message_id": s.next, "date": s.Now().Unix(), "chat": map[string]any{"id": chat}, "from": map[string]any{"id": 7, "username": who}, "text": text}
	for _, to := range s.messages {
		if to.ID == replyTo {
			m["reply_to_message"] = map[string]any{"message_id": to.ID, "chat": map[string]any{"id": chat}, "text": to.Text}
		}
	}
	s.arrive(map[string]any{"message": m})
}

// Press lets someone press a button of a message, the first being 0. It
// returns the id of the press.
func (s *Server) Press(who string, message int64, n int) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.messages {
		if m.ID != message {
			continue
		}
		var k struct {
			Rows [][]struct {
				Data string `json:"callback_data"`
			} `json:"inline_keyboard"`
		}
		if err := json.Unmarshal([]byte(m.Buttons), &k); err != nil || n >= len(k.Rows) {
			return "", fmt.Errorf("message %d has no button %d: %q", message, n, m.Buttons)
		}
		id := fmt.Sprintf("press-%d", s.update)
		s.pressed[id] = ""
		s.arrive(map[string]any{"callback_query": map[string]any{
			"id": id, "from": map[string]any{"id": 7, "username": who}, "data": k.Rows[n][0].Data,
			"message": map[string]any{"message_id": m.ID, "date": s.Now().Unix(), "chat": map[string]any{"id": m.Chat}, "text": m.Text},
		}})
		return id, nil
	}
	return "", fmt.Errorf("there is no message %d", message)
}

func (s *Server) arrive(u map[string]any) {
	s.update++
	u["update_id"] = s.update
	s.updates = append(s.updates, u)
	close(s.came)
	s.came = make(chan struct{})
}

// poll is getUpdates: an offset confirms what is older, and a poll waits when
// there is nothing new. A second one at the same time is a conflict.
func (s *Server) poll(r *http.Request, in request, how Fault) (any, error) {
	s.mu.Lock()
	if s.polls > 0 {
		s.mu.Unlock()
		return nil, &refusal{http.StatusConflict, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"}
	}
	s.polls++
	defer func() { s.polls--; s.mu.Unlock() }()
	for len(s.updates) > 0 && s.updates[0]["update_id"].(int64) < in.Offset {
		s.old, s.updates = append(s.old, s.updates[0]), s.updates[1:]
	}
	if how == Twice {
		return append(append([]map[string]any{}, s.old...), s.updates...), nil
	}
	if len(s.updates) == 0 && how == None {
		came := s.came
		s.mu.Unlock()
		timer := time.NewTimer(time.Duration(in.Timeout) * time.Second)
		select {
		case <-came:
		case <-timer.C:
		case <-r.Context().Done():
		}
		timer.Stop()
		s.mu.Lock()
	}
	return append([]map[string]any{}, s.updates...), nil
}

// Transport answers requests without a network, so that a test can run on a
// clock of its own.
func (s *Server) Transport() http.RoundTripper { return inProcess{s} }

type inProcess struct{ s *Server }

func (t inProcess) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p == http.ErrAbortHandler {
			resp, err = nil, io.ErrUnexpectedEOF
		} else if p != nil {
			panic(p)
		}
	}()
	w := httptest.NewRecorder()
	t.s.ServeHTTP(w, r)
	if err := r.Context().Err(); err != nil { // nobody reads the answer, or the pause that it asks for
		t.s.mu.Lock()
		t.s.resume = nil
		t.s.mu.Unlock()
		return nil, err
	}
	return w.Result(), nil
}

// Texts are what the bot wrote into a chat.
func (s *Server) Texts(chat int64) []string {
	var out []string
	for _, m := range s.Messages() {
		if m.Bot && m.Chat == chat {
			out = append(out, strings.TrimSpace(m.Text))
		}
	}
	return out
}
