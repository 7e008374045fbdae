package inboxcmd

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"warp/internal/core/questions"
)

// A line that is typed when a question is over answers no other.
func TestALateLineIsNobodysAnswer(t *testing.T) {
	in, keys := io.Pipe()
	term := &Terminal{In: in, Out: io.Discard, Now: time.Now}
	over, cancel := context.WithCancel(t.Context())
	asked := make(chan bool)
	go func() {
		_, ok := term.Ask(over, questions.Item{Question: "first?"})
		asked <- ok
	}()
	write := func(text string) {
		if _, err := io.WriteString(keys, text); err != nil {
			t.Error(err)
		}
	}
	write("\n") // it waits for another line now, since nothing is no answer
	cancel()
	if <-asked {
		t.Fatal("it was answered")
	}
	write("late\n")
	write("yes")
	answer := make(chan string)
	go func() {
		line, _ := term.Ask(t.Context(), questions.Item{Question: "second?", Default: "x"})
		answer <- line
	}()
	for term.idle() {
	}
	write(", do\n")
	if got := <-answer; got != "yes, do" {
		t.Errorf("got %q", got)
	}
	keys.Close()
	if _, ok := term.Ask(t.Context(), questions.Item{Question: "third?"}); ok {
		t.Error("nobody is there, and answers")
	}
}

func (t *Terminal) idle() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.open == nil
}

// What is no option is asked again; nothing stands for the default.
func TestTheTerminalTakesOptionsOnly(t *testing.T) {
	for want, typed := range map[string][]string{"": {"3", "no", ""}, "other: green": {"4", "other: green"}, "b": {"b"}} {
		var out strings.Builder
		in, keys := io.Pipe()
		term := &Terminal{In: in, Out: &out, Now: time.Now}
		answer := make(chan string)
		go func() {
			line, _ := term.Ask(t.Context(), questions.Item{ID: "q1", Question: "which?", Options: []string{"red", "blue"}, Default: "red", Deadline: "2026-03-01T12:00:00Z"})
			answer <- strings.TrimSpace(line)
		}()
		for term.idle() {
		}
		for _, line := range typed { // as fast as they are pasted
			if _, err := io.WriteString(keys, line+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		if got := <-answer; got != want {
			t.Errorf("%q: %q\n%s", typed, got, &out)
		}
		if again := "is not an option of q1; choose 1 (red) or 2 (blue), or begin with other: "; strings.Count(out.String(), again) != len(typed)-1 {
			t.Error(out.String())
		}
		keys.Close()
	}
}

// No line of a question, of its context or of an option can be taken for another question.
func TestTheTerminalIndentsFurtherLines(t *testing.T) {
	var out strings.Builder
	term := &Terminal{Out: &out, Now: time.Now}
	term.show(questions.Item{ID: "q1", Question: "which?\nq2 (q2)", Context: "as read:\nAnswer: yes", Options: []string{"red\n2. green", "blue"}})
	want := "\nwhich?\n       q2 (q2) (q1)\n  as read:\n       Answer: yes\n  1. red\n       2. green\n  2. blue\nAnswer: "
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
