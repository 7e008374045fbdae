// Package telegram is a stand-in for the Telegram Bot API, written from its
// published description: updates by long polling, messages with inline buttons,
// edits, rate limits. It can be told to fail as networks and servers do, before
// or after it has done what it was asked for.
package telegram

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf16"
)

// Fault is how one request goes wrong.
type Fault int

// The faults.
const (
	None       Fault = iota
	LostBefore       // the connection breaks before anything is done
	LostAfter        // it is done, and then the connection breaks
	Garbled          // it is done, and half of the answer comes
	BadBefore        // 502, and nothing is done
	BadAfter         // 502, but it was done
	TooMany          // 429 with retry_after
	Twice            // getUpdates: what was confirmed before comes again
)

// Message is a message in the chat.
type Message struct {
	ID      int64
	Chat    int64
	Bot     bool // the bot wrote it
	Text    string
	Buttons string // the keyboard's JSON
	Silent  bool   // it rings nowhere
	Edits   int
}

// Server is the Bot API of one bot.
type Server struct {
	Token string
	Chats []int64 // that have started the bot
	// Fault says how the next request goes wrong; nil: none does.
	Fault func(method string) Fault
	Now   func() time.Time
	// RetryAfter is what a 429 asks for, in seconds.
	RetryAfter int

	mu       sync.Mutex
	next     int64 // message id: one counter for all chats, as in private ones
	update   int64
	messages []Message
	updates  []map[string]any // not confirmed yet
	old      []map[string]any
	came     chan struct{}
	polls    int
	pressed  map[string]string    // callback id -> what the bot answered
	resume   map[string]time.Time // when a rate limit ends
	Early    int                  // requests that came before it did
}

// New makes a server for a bot that one chat has started.
func New(token string, chat int64) *Server {
	return &Server{Token: token, Chats: []int64{chat}, Now: time.Now, RetryAfter: 3, next: 100, update: 5000, came: make(chan struct{}), pressed: map[string]string{}}
}

// Messages are all messages, in order.
func (s *Server) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Message(nil), s.messages...)
}

// Pressed are the answers to presses of buttons, by their id.
func (s *Server) Pressed() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]string{}
	for k, v := range s.pressed {
		out[k] = v
	}
	return out
}

// Break has requests fail from now on, while the server runs.
func (s *Server) Break(how func(method string) Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Fault = how
}

// ServeHTTP answers /bot<token>/<method>.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, ok := strings.CutPrefix(r.URL.Path, "/bot")
	token, method, _ := strings.Cut(path, "/")
	if !ok || token != s.Token {
		reply(w, http.StatusUnauthorized, map[string]any{"ok": false, "error_code": 401, "description": "Unauthorized"})
		return
	}
	var in request
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		reply(w, http.StatusBadRequest, map[string]any{"ok": false, "error_code": 400, "description": "Bad Request: " + err.Error()})
		return
	}
	s.mu.Lock()
	fault := s.Fault
	s.mu.Unlock()
	how := None
	if fault != nil {
		how = fault(method)
	}
	switch how {
	case LostBefore:
		panic(http.ErrAbortHandler)
	case BadBefore:
		http.Error(w, "<html>502 Bad Gateway</html>", http.StatusBadGateway)
		return
	case TooMany:
		s.limit(w, method)
		return
	}
	s.early(method)
	result, err := s.do(r, method, in, how)
	switch how {
	case LostAfter:
		panic(http.ErrAbortHandler)
	case BadAfter:
		http.Error(w, "<html>502 Bad Gateway</html>", http.StatusBadGateway)
		return
	}
	var no *refusal
	if errors.As(err, &no) {
		reply(w, no.code, map[string]any{"ok": false, "error_code": no.code, "description": no.words})
		return
	}
	if how == Garbled {
		fmt.Fprint(w, `{"ok":true,"resu`)
		return
	}
	reply(w, http.StatusOK, map[string]any{"ok": true, "result": result})
}

func (s *Server) limit(w http.ResponseWriter, method string) {
	s.mu.Lock()
	if s.resume == nil {
		s.resume = map[string]time.Time{}
	}
	s.resume[method] = s.Now().Add(time.Duration(s.RetryAfter) * time.Second)
	s.mu.Unlock()
	reply(w, http.StatusTooManyRequests, map[string]any{"ok": false, "error_code": 429, "description": "Too Many Requests: retry after", "parameters": map[string]any{"retry_after": s.RetryAfter}})
}

// early counts messages that come although a pause was asked for.
func (s *Server) early(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if (method == "sendMessage" || method == "editMessageText") && s.Now().Before(s.resume[method]) {
		s.Early++
	}
}

func reply(w http.ResponseWriter, code int, x any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(x) // the client may be gone
}

type request struct {
	Chat     int64           `json:"chat_id"`
	Message  int64           `json:"message_id"`
	Text     string          `json:"text"`
	Markup   json.RawMessage `json:"reply_markup"`
	Offset   int64           `json:"offset"`
	Timeout  int             `json:"timeout"`
	Callback string          `json:"callback_query_id"`
	Silent   bool            `json:"disable_notification"`
}

type refusal struct {
	code  int
	words string
}

func (r *refusal) Error() string { return r.words }

func bad(words string) error { return &refusal{http.StatusBadRequest, "Bad Request: " + words} }

func (s *Server) do(r *http.Request, method string, in request, how Fault) (any, error) {
	switch method {
	case "getUpdates":
		return s.poll(r, in, how)
	case "getMe":
		return map[string]any{"id": 1, "is_bot": true, "username": "warp_test_bot"}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch method {
	case "sendMessage":
		return s.send(in)
	case "editMessageText":
		return s.edit(in)
	case "deleteMessage":
		return s.remove(in)
	case "answerCallbackQuery":
		if _, ok := s.pressed[in.Callback]; !ok {
			return nil, bad("query is too old and response timeout expired or query ID is invalid")
		}
		s.pressed[in.Callback] = in.Text
		return true, nil
	}
	return nil, &refusal{http.StatusNotFound, "Not Found: method not found"}
}

func (s *Server) valid(in request) error {
	known := false
	for _, c := range s.Chats {
		known = known || c == in.Chat
	}
	switch n := len(utf16.Encode([]rune(in.Text))); {
	case !known:
		return bad("chat not found")
	case strings.TrimSpace(in.Text) == "":
		return bad("message text is empty")
	case n > 4096:
		return bad("message is too long")
	}
	var m struct {
		Rows [][]struct {
			Text string  `json:"text"`
			Data string  `json:"callback_data"`
			Copy *string `json:"copy_text"`
		} `json:"inline_keyboard"`
	}
	if len(in.Markup) > 0 && json.Unmarshal(in.Markup, &m) != nil {
		return bad("can't parse reply keyboard markup JSON object")
	}
	for _, row := range m.Rows {
		for _, b := range row {
			if b.Text == "" || len(b.Data) == 0 || len(b.Data) > 64 || b.Copy != nil {
				return bad("BUTTON_DATA_INVALID")
			}
		}
	}
	return nil
}

func (s *Server) send(in request) (any, error) {
	if err := s.valid(in); err != nil {
		return nil, err
	}
	s.next++
	s.messages = append(s.messages, Message{ID: s.next, Chat: in.Chat, Bot: true, Text: strings.TrimSpace(in.Text), Buttons: string(in.Markup), Silent: in.Silent})
	return map[string]any{"message_id": s.next, "chat": map[string]any{"id": in.Chat}, "text": in.Text}, nil
}

func (s *Server) edit(in request) (any, error) {
	if err := s.valid(in); err != nil {
		return nil, err
	}
	for i := range s.messages {
		m := &s.messages[i]
		switch {
		case m.ID != in.Message || m.Chat != in.Chat:
			continue
		case !m.Bot:
			return nil, bad("message can't be edited")
		case m.Text == strings.TrimSpace(in.Text) && m.Buttons == string(in.Markup):
			return nil, bad("message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message")
		}
		m.Text, m.Buttons, m.Edits = strings.TrimSpace(in.Text), string(in.Markup), m.Edits+1
		return map[string]any{"message_id": m.ID}, nil
	}
	return nil, bad("message to edit not found")
}

func (s *Server) remove(in request) (any, error) {
	for i, m := range s.messages {
		if m.ID == in.Message && m.Chat == in.Chat {
			s.messages = append(s.messages[:i], s.messages[i+1:]...)
			return true, nil
		}
	}
	return nil, bad("message to delete not found")
}
