package telegram_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"warp/internal/adapter/notify/telegram"
	"warp/internal/core/questions"
	"warp/internal/engine/notify"
	mock "warp/internal/testkit/telegram"
)

// settled lets everything happen that is about to.
func (s *side) settled() {
	time.Sleep(10 * time.Second)
	synctest.Wait()
}

func (s *side) last() mock.Message {
	s.t.Helper()
	all := s.server.Messages()
	if len(all) == 0 {
		s.t.Fatal("nothing was written")
	}
	return all[len(all)-1]
}

func (s *side) ask(text string) {
	s.t.Helper()
	item, err := s.desk.Put(questions.Question{By: questions.Engine, Issue: "42", Text: text, Options: []string{"2", "1"}}, time.Hour)
	if err != nil {
		s.t.Fatal(err)
	}
	s.bridge.Notify(notify.Question(item))
	s.until()
}

func (s *side) answer(id string) questions.Item {
	s.t.Helper()
	book, err := s.desk.Book()
	if err != nil || book.Find(id) == nil {
		s.t.Fatal(id, err)
	}
	return *book.Find(id)
}

func TestAQuestionIsAnsweredByAButtonOrAReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSide(t)
		defer func() { s.bridge.Stop() }()
		s.ask("how many?")
		press, err := s.server.Press("ann", s.last().ID, 1) // the second button, which says 1
		if err != nil {
			t.Fatal(err)
		}
		s.settled()
		if it := s.answer("q1"); it.Answer != "1" || it.AnsweredBy != "telegram:@ann" {
			t.Errorf("%+v", it)
		}
		if got := s.server.Pressed()[press]; got != "q1: 1" {
			t.Errorf("beside the button: %q", got)
		}
		if s.last().Silent {
			t.Error("a question rings")
		}
		again, _ := s.server.Press("bob", s.last().ID, 0)
		s.settled()
		if got, it := s.server.Pressed()[again], s.answer("q1"); got != "q1: 2" || it.Was != "1" {
			t.Errorf("the second changes it: %q, %+v", got, it)
		}
		if _, err := s.desk.Take("q1"); err != nil {
			t.Fatal(err)
		}
		last, _ := s.server.Press("ann", s.last().ID, 1)
		s.settled()
		if got := s.server.Pressed()[last]; !strings.Contains(got, "already answered by telegram:@bob (2), and used by") {
			t.Errorf("after it was used: %q", got)
		}

		s.ask("what then?")
		question := s.last().ID
		s.server.Say(chat, "ann", "neither of them", question)
		s.settled()
		if it := s.answer("q2"); it.Answered() || !strings.Contains(s.last().Text, `"neither of them" is not an option of q2; choose`) {
			t.Errorf("%+v, %q", it, s.last().Text)
		}
		s.server.Say(chat, "ann", "other: neither of them", question)
		s.settled()
		if it := s.answer("q2"); it.Answer != "neither of them" {
			t.Errorf("%+v", it)
		}
	})
}

func TestOnlyTheChatIsObeyed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSide(t)
		defer func() { s.bridge.Stop() }()
		s.ask("how many?")
		question := s.last().ID
		s.server.Chats = append(s.server.Chats, 666)
		s.server.Say(666, "eve", "/status", 0)
		s.server.Say(666, "eve", "2", question)
		s.settled()
		if len(s.obeyed) > 0 || len(s.server.Texts(666)) > 0 {
			t.Error("a stranger was obeyed", s.obeyed)
		}
		if it := s.answer("q1"); it.Answered() {
			t.Errorf("a stranger answered: %+v", it)
		}
		box, err := notify.Read(s.store, time.Now)
		if at, _ := box.Standing("telegram"); err != nil || at.Ignored != 2 {
			t.Error(at, err)
		}
		s.server.Say(chat, "ann", "/status@warp_test_bot", 0)
		s.server.Say(chat, "ann", "/dance", 0)
		s.settled()
		texts := strings.Join(s.server.Texts(chat), "\n")
		if len(s.obeyed) != 1 || !strings.Contains(texts, "status: fine") || !strings.Contains(texts, "there is no command /dance") {
			t.Error(s.obeyed, texts)
		}
	})
}

func TestACommandThatWaitedForABridgeIsNotObeyed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSide(t)
		s.bridge.Stop()
		s.server.Say(chat, "ann", "/status", 0)
		time.Sleep(time.Hour)
		s.restart()
		defer func() { s.bridge.Stop() }()
		s.settled()
		if len(s.obeyed) > 0 || !strings.Contains(s.last().Text, "/status was sent 1h0m0s ago") {
			t.Error(s.obeyed, s.last().Text)
		}
	})
}

func TestALongTextAndOddButtonsAreAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSide(t)
		defer func() { s.bridge.Stop() }()
		s.bridge.Notify(notify.Message{Kind: notify.Decision, Ask: "q1", Text: strings.Repeat("𝒳é ", 3000), Options: []string{strings.Repeat("long ", 50)}})
		s.bridge.Notify(notify.Message{Kind: notify.Remark, Text: "  "}) // refused, and not in the way of others
		s.bridge.Notify(notify.Message{Kind: notify.Remark, Text: "after"})
		s.until()
		if got := s.server.Texts(chat); len(got) != 2 || got[1] != "after" {
			t.Errorf("%d texts", len(got))
		}
	})
}

// The token is part of every address, and addresses are part of errors.
func TestNoErrorShowsTheToken(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	lost := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer lost.Close()
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"ok":false,"error_code":400,"description":"` + r.URL.Path + `"}`))
	}))
	defer echo.Close()
	moved := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, gone.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer moved.Close()
	for _, base := range []string{gone.URL, lost.URL, echo.URL, moved.URL} {
		c, err := telegram.New(telegram.Config{Base: base, Token: token, Chat: chat})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Send(t.Context(), notify.Letter{Message: notify.Message{Text: "x"}, Tries: 1})
		if err == nil || strings.Contains(err.Error(), "AAbb") {
			t.Errorf("%s: %v", base, err)
		}
		_ = c.Close()
	}
}

// The token is part of the address: it goes over TLS, or to this machine.
func TestAnAddressThatOthersRead(t *testing.T) {
	for _, base := range []string{"http://\x7f", "ftp://x", "http://telegram.example", "http://127.evil.example"} {
		if _, err := telegram.New(telegram.Config{Base: base, Token: token, Chat: chat}); err == nil || strings.Contains(err.Error(), token) {
			t.Errorf("%s: %v", base, err)
		}
	}
}

func TestWhatAPersonHasToFix(t *testing.T) {
	s := mock.New("1:right", chat)
	for _, c := range []struct {
		token string
		chat  int64
		want  string
	}{
		{"1:wrong", chat, "does not know the token"},
		{"1:right", 9, "does not know the chat 9"},
	} {
		ch, err := telegram.New(telegram.Config{Base: "https://t.invalid", Token: c.token, Chat: c.chat, Client: s.Transport()})
		if err != nil {
			t.Fatal(err)
		}
		_, err = ch.Send(context.Background(), notify.Letter{Message: notify.Message{Text: "x"}, Tries: 1})
		var blocked *notify.Blocked
		if !errors.As(err, &blocked) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	for _, c := range []telegram.Config{{Chat: 1}, {Token: "1:x"}, {Token: "1:x/../y", Chat: 1}} {
		if _, err := telegram.New(c); err == nil || c.Token != "" && strings.Contains(err.Error(), c.Token) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A button counts in the chat that is set up, wherever its message was forwarded.
func TestAPressElsewhereIsAStrangers(t *testing.T) {
	press := func(chat string) string {
		return `{"update_id":1,"callback_query":{"id":"p","from":{"id":7,"username":"eve"},"data":"q1:2"` + chat + `}}`
	}
	for update, foreign := range map[string]bool{
		press(`,"message":{"message_id":5,"chat":{"id":4711}}`): false,
		press(`,"message":{"message_id":5,"chat":{"id":666}}`):  true,
		press(``): true, // of a message that is too old
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"ok":true,"result":[` + update + `]}`))
		}))
		c, err := telegram.New(telegram.Config{Base: server.URL, Token: "1:a", Chat: 4711})
		if err != nil {
			t.Fatal(err)
		}
		list, err := c.Updates(t.Context(), 0)
		if err != nil || len(list) != 1 || list[0].Foreign != foreign || list[0].Ask != "q1" || list[0].Option != 2 {
			t.Errorf("%s: %+v, %v", update, list, err)
		}
		server.Close()
	}
}

// Only a person can find the program that polls with the same token.
func TestASecondPollerIsNamed(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusConflict)
		_, _ = w.Write([]byte(`{"ok":false,"error_code":409,"description":"Conflict: terminated by other getUpdates request"}`))
	}))
	defer server.Close()
	c, err := telegram.New(telegram.Config{Base: server.URL, Token: "1:a", Chat: 4711})
	if err != nil {
		t.Fatal(err)
	}
	var blocked *notify.Blocked
	if _, err := c.Updates(t.Context(), 0); !errors.As(err, &blocked) || !strings.Contains(err.Error(), "another program polls") {
		t.Error(err)
	}
}
