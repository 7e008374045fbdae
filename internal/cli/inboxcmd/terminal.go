package inboxcmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"warp/internal/core/questions"
	"warp/internal/ui/render"
)

// Terminal asks the person at a terminal. One goroutine reads its lines for as
// long as the program runs, so that a question that was answered elsewhere does
// not swallow the answer to the next.
type Terminal struct {
	In   io.Reader
	Out  io.Writer
	Now  func() time.Time // its zone is the person's
	Hold func() func()    // keeps other output away while a question stands there; nil: nothing has to be

	once    sync.Once
	turn    sync.Mutex // one question at a time
	mu      sync.Mutex
	ended   bool
	waiting chan string // nil: no question is open, so typed lines are ignored
}

// read gives each line to the question that waits for one.
func (t *Terminal) read() {
	r := bufio.NewReader(t.In)
	for {
		line, err := r.ReadString('\n')
		t.mu.Lock()
		if t.waiting != nil {
			if err == nil {
				t.waiting <- line
			} else {
				close(t.waiting)
			}
			t.waiting = nil
		}
		t.ended = err != nil
		ended := t.ended
		t.mu.Unlock()
		if ended {
			return
		}
	}
}

// await makes the next line that is typed this question's.
func (t *Terminal) await() <-chan string {
	t.mu.Lock()
	defer t.mu.Unlock()
	to := make(chan string, 1)
	if t.ended {
		close(to)
		return to
	}
	t.waiting = to
	t.once.Do(func() { go t.read() })
	return to
}

func (t *Terminal) enough() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = nil
}

// Ask shows a question and returns the line that is typed; false: the context
// ended, or no person is there.
func (t *Terminal) Ask(ctx context.Context, i questions.Item) (string, bool) {
	t.turn.Lock()
	defer t.turn.Unlock()
	if ctx.Err() != nil {
		return "", false
	}
	if t.Hold != nil {
		defer t.Hold()()
	}
	t.show(i)
	defer t.enough()
	for {
		select {
		case <-ctx.Done():
			fmt.Fprintf(t.Out, "\nanswered elsewhere, or too late\n")
			return "", false
		case line, ok := <-t.await():
			if !ok {
				return "", false
			}
			_, err := i.Choose(line)
			if err == nil {
				return strings.TrimSpace(line), true
			}
			var option *questions.OptionError
			if errors.As(err, &option) {
				fmt.Fprintf(t.Out, "%s, or begin with other: ", render.Printable(err.Error()))
			} else {
				fmt.Fprint(t.Out, "please enter an answer: ")
			}
		}
	}
}

func (t *Terminal) show(i questions.Item) {
	about := i.ID
	if i.Issue != "" {
		about += ", #" + i.Issue
	}
	fmt.Fprintf(t.Out, "\n%s (%s)\n", render.Printable(i.Question), render.Printable(about))
	if i.Context != "" {
		fmt.Fprintf(t.Out, "%s\n", render.Printable(i.Context))
	}
	for n, o := range i.Options {
		fmt.Fprintf(t.Out, "  %d. %s\n", n+1, render.Printable(o))
	}
	fmt.Fprint(t.Out, "Answer")
	if i.Deadline != "" {
		fmt.Fprintf(t.Out, " until %s", localTime(i.Deadline, t.Now()))
	}
	if i.Default != "" {
		fmt.Fprintf(t.Out, " (enter: %s)", render.Printable(i.Default))
	}
	fmt.Fprint(t.Out, ": ")
}
