package inboxcmd

import (
	"context"
	"io"
	"testing"

	"warp/internal/core/questions"
)

// A line that is typed when a question is over answers no other.
func TestALateLineIsNobodysAnswer(t *testing.T) {
	in, keys := io.Pipe()
	term := &Terminal{In: in, Out: io.Discard}
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
	return t.waiting == nil
}
