package next

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"warp/internal/cli/app"
	"warp/internal/cli/inboxcmd"
	"warp/internal/core/questions"
	"warp/internal/durable"
	"warp/internal/engine/mind"
	"warp/internal/turnstile"
)

// A person who has just answered is not asked again, although the engine does not know yet.
func TestAnAnsweredQuestionIsNotAskedAgain(t *testing.T) {
	home := t.TempDir()
	a := &app.App{Out: io.Discard, Err: io.Discard, Dir: t.TempDir(), Env: turnstile.System(), Getenv: func(k string) string { return map[string]string{"HOME": home}[k] }}
	d := turnstile.Open(a.Dir, a.Env)
	inbox, err := inboxcmd.Desk(a, d)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := inbox.Put(questions.Question{Text: "Which way?", By: questions.Engine}, time.Hour); err != nil {
		t.Fatal(err)
	}
	board := mind.Board{Engine: durable.Process{PID: os.Getpid()}, Standing: mind.Asking, Issue: "1", Question: &mind.Question{ID: "q1", Text: "Which way?"}}
	if err := mind.At(home+"/.local/state/warp", d.Root()).Write(board); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"A PERSON has to decide", "STILL RUNNING"} {
		said, err := Step(t.Context(), a, d, Ask{Wait: time.Millisecond})
		if err != nil || !strings.Contains(said.Text, want) || (said.Question == nil) != (want == "STILL RUNNING") {
			t.Errorf("not %s: %+v, %v", want, said, err)
		}
		_, _ = inbox.Answer("q1", "left", "terminal") // the second one is refused
	}
}

func TestAQuestionWithoutAnIssue(t *testing.T) {
	said := questionText(mind.Board{Question: &mind.Question{ID: "q1", Text: "Which way?"}})
	if !strings.HasPrefix(said, "A PERSON has to decide (q1): Which way?\n") || strings.Contains(said, "each option") || !strings.Contains(said, "`warp answer q1 WORDS`") {
		t.Error(said)
	}
}

func TestWhatHappensWithoutAnAnswer(t *testing.T) {
	q := mind.Question{ID: "q1", Text: "Which way?", Options: []string{"left", "right"}, Default: "left", Until: time.Now()}
	if said := questionText(mind.Board{Question: &q}); !strings.Contains(said, "warp files a todo and continues with something else") {
		t.Error(said)
	}
	q.Taken = true
	if said := questionText(mind.Board{Question: &q}); !strings.Contains(said, ", warp takes what is suggested, and files a todo.\n") {
		t.Error(said)
	}
}
