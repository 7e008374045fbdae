package messages

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFailsAsOftenAsSaid(t *testing.T) {
	s := Serve(t, Script{"a": {{Text: "at last", Fail: &Fail{Status: 529, Type: "overloaded_error", Message: "busy", Times: 2}}}})
	for range 2 {
		status, body := post(t, s, true, user("[[scenario:a]]"))
		if status != 529 || !strings.Contains(body, `"error":{"message":"busy","type":"overloaded_error"}`) {
			t.Errorf("%d %s", status, body)
		}
	}
	if got := say(t, s, user("[[scenario:a]]")); got != "at last" {
		t.Errorf("got %q", got)
	}
	if n := len(s.Requests()); n != 3 {
		t.Errorf("%d requests kept", n)
	}
}

func TestFailsForEver(t *testing.T) {
	s := Serve(t, Script{"a": {{Fail: &Fail{Status: 429, Type: "rate_limit_error"}}}})
	for range 5 {
		if status, _ := post(t, s, false, user("[[scenario:a]]")); status != 429 {
			t.Errorf("status %d", status)
		}
	}
}

// hold sends a request whose answer is held back, and waits until it is there.
func hold(ctx context.Context, s *Server) <-chan error {
	ended := make(chan error, 1)
	go func() {
		_, body, err := send(ctx, s, false, user("[[scenario:a]]"))
		if err == nil && !strings.Contains(body, "late") {
			err = fmt.Errorf("got %q", body)
		}
		ended <- err
	}()
	s.Await("a", 0)
	return ended
}

func TestAnswerIsHeldBack(t *testing.T) {
	pause := make(chan struct{})
	s := Serve(t, Script{"a": {{Text: "late", Pause: pause}}})
	ended := hold(t.Context(), s)
	select {
	case err := <-ended:
		t.Errorf("not held back: %v", err)
	default:
	}
	close(pause)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// The clean-up would wait for ever for an answer that nobody waits for.
func TestClientThatGoesFreesTheAnswer(t *testing.T) {
	s := Serve(t, Script{"a": {{Pause: make(chan struct{})}}})
	ctx, cancel := context.WithCancel(t.Context())
	ended := hold(ctx, s)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestEndOfTheTestFreesTheAnswer(t *testing.T) {
	var ended <-chan error
	t.Run("held", func(t *testing.T) {
		ended = hold(context.Background(), Serve(t, Script{"a": {{Pause: make(chan struct{})}}}))
	})
	<-ended
}

func TestStepFromTheRequest(t *testing.T) {
	s := Serve(t, Script{"a": {{Func: func(r Request) Step { return Step{Text: fmt.Sprint(len(r.Messages), r.Model)} }}}})
	if got := say(t, s, user("[[scenario:a]]")); got != "1m" {
		t.Errorf("got %q", got)
	}
}

func TestRequestIsKept(t *testing.T) {
	s := Serve(t, Script{"a": {{}, {}}})
	post(t, s, false,
		user("[[scenario:a]] go"),
		object{"role": "assistant", "content": []object{
			{"type": "thinking", "thinking": "hm", "content": 1},
			{"type": "tool_use", "id": "t1", "name": "Bash", "input": object{"command": "ls"}},
			{"type": "tool_use", "id": "t2", "name": "Read", "input": object{}},
		}},
		object{"role": "user", "content": []object{
			{"type": "tool_result", "tool_use_id": "t1", "content": "a.txt"},
			{"type": "tool_result", "tool_use_id": "t2", "is_error": true, "content": []object{{"type": "text", "text": "no such file"}}},
		}},
		object{"role": "system", "content": "a hook adds this"},
	)
	r := s.Requests()[0]
	if r.Scenario != "a" || r.Step != 1 || r.Model != "m" {
		t.Errorf("got %+v", r)
	}
	want := []ToolResult{{ID: "t1", Text: "a.txt"}, {ID: "t2", Error: true, Text: "no such file"}}
	if diff := cmp.Diff(want, r.ToolResults()); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{"be brief", "[[scenario:a]] go", "no such file", "a hook adds this"} {
		if !strings.Contains(r.Text(), text) {
			t.Errorf("%q is not in the text of the request", text)
		}
	}
}

// told is a test that notes that it was failed.
type told struct {
	testing.TB
	errs []string
}

func (t *told) Errorf(format string, args ...any) {
	t.errs = append(t.errs, fmt.Sprintf(format, args...))
}

func TestMistakesFailTheTest(t *testing.T) {
	tt := &told{TB: t}
	s := Serve(tt, nil)
	if status, _ := post(t, s, false, user("[[scenario:missing]]")); status != 400 {
		t.Errorf("status %d", status)
	}
	if status, _ := post(t, s, false, object{"role": 3}); status != 400 {
		t.Errorf("status %d", status)
	}
	if len(tt.errs) != 2 || !strings.Contains(tt.errs[0], `"missing"`) {
		t.Errorf("told %q", tt.errs)
	}
}
