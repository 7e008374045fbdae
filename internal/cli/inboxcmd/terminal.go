package inboxcmd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"warp/internal/cli/app"
	"warp/internal/core/questions"
	"warp/internal/ui/render"
)

// Terminal asks the person at a terminal. One goroutine reads its lines while the program runs,
// so that a question answered elsewhere does not swallow the answer to the next.
type Terminal struct {
	In   io.Reader
	Out  io.Writer
	Now  func() time.Time // its zone is the person's
	Hold func() func()    // suspends other output while a question is open; may be nil

	once  sync.Once
	turn  sync.Mutex // one question at a time
	mu    sync.Mutex
	ended bool
	open  *openQuestion // nil if no question is open: typed lines are ignored
}

// openQuestion is a question that receives lines.
type openQuestion struct {
	lines chan string // closed when no more will come
	over  chan struct{}
}

// read passes each line to the question open at that time.
func (t *Terminal) read() {
	r := bufio.NewReader(t.In)
	for {
		line, err := r.ReadString('\n')
		t.mu.Lock()
		t.ended = err != nil
		q := t.open
		t.mu.Unlock()
		switch {
		case err != nil && q != nil:
			close(q.lines)
		case err == nil && q != nil:
			select {
			case q.lines <- line:
			case <-q.over:
			}
		}
		if err != nil {
			return
		}
	}
}

// begin directs typed lines to this question until end is called.
func (t *Terminal) begin() (lines <-chan string, end func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	q := &openQuestion{lines: make(chan string), over: make(chan struct{})}
	if t.ended {
		close(q.lines)
		return q.lines, func() {}
	}
	t.open = q
	t.once.Do(func() { go t.read() })
	return q.lines, func() {
		close(q.over)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.open = nil
	}
}

// Ask shows a question and returns the typed line; false if the context ended or no one is
// there.
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
	lines, end := t.begin()
	defer end()
	for {
		select {
		case <-ctx.Done():
			fmt.Fprintf(t.Out, "\nanswered elsewhere, or too late\n")
			return "", false
		case line, ok := <-lines:
			if !ok {
				return "", false
			}
			_, err := i.Choose(line)
			if err == nil {
				return strings.TrimSpace(line), true
			}
			if app.IsA[*questions.OptionError](err) {
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
	fmt.Fprintf(t.Out, "\n%s (%s)\n", indentLines(i.Question), render.Printable(about))
	if i.Context != "" {
		fmt.Fprintf(t.Out, "  %s\n", indentLines(i.Context))
	}
	for n, o := range i.Options {
		fmt.Fprintf(t.Out, "  %d. %s\n", n+1, indentLines(o))
	}
	fmt.Fprint(t.Out, "Answer")
	if i.Deadline != "" {
		fmt.Fprintf(t.Out, " until %s", localTime(i.Deadline, t.Now()))
	}
	if i.Default != "" {
		fmt.Fprintf(t.Out, " (enter: %s)", indentLines(i.Default))
	}
	fmt.Fprint(t.Out, ": ")
}
