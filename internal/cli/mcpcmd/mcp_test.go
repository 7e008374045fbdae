package mcpcmd

import (
	"context"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"warp/internal/cli/app"
	"warp/internal/cli/inboxcmd"
	"warp/internal/core/questions"
	"warp/internal/durable"
	"warp/internal/engine/mind"
	"warp/internal/turnstile"
)

// table is a project whose engine, this process, asks a person something.
type table struct {
	host    *host
	desk    mind.Desk
	session *mcp.ClientSession
	asked   []string // what was shown
}

func setTable(t *testing.T) *table {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	env := map[string]string{"HOME": home, "CLAUDE_CODE_SESSION_ID": "s1"}
	a := &app.App{Out: io.Discard, Err: io.Discard, Dir: dir, Env: turnstile.System(), Getenv: func(k string) string { return env[k] }}
	d := turnstile.Open(dir, a.Env)
	x := &table{host: &host{app: a, drive: d}, desk: mind.At(home+"/.local/state/warp", d.Root())}
	inbox, err := inboxcmd.Desk(a, d)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := inbox.Put(questions.Question{Text: "Drop the table?", Options: []string{"yes", "no"}, By: questions.Engine}, time.Hour); err != nil {
		t.Fatal(err)
	}
	x.post(t, mind.Board{Standing: mind.Asking, Question: &mind.Question{ID: "q1", Text: "Is it lunch time?", Options: []string{"yes", "no"}}})

	ours, theirs := mcp.NewInMemoryTransports()
	if _, err := newServer(x.host).Connect(t.Context(), ours, nil); err != nil {
		t.Fatal(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		x.asked = append(x.asked, r.Params.Message)
		go func() { // the engine hears of the answer a little later
			for x.answer(t) == "" {
				runtime.Gosched()
			}
			x.post(t, mind.Board{Standing: mind.Over, Issue: "1"})
		}()
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "yes"}}, nil
	}})
	if x.session, err = client.Connect(t.Context(), theirs, nil); err != nil {
		t.Fatal(err)
	}
	return x
}

func (x *table) post(t *testing.T, b mind.Board) {
	b.Engine = durable.Process{PID: os.Getpid()}
	if err := x.desk.Write(b); err != nil {
		t.Error(err)
	}
}

func (x *table) call(t *testing.T, args map[string]any) (string, bool) {
	t.Helper()
	r, err := x.session.CallTool(t.Context(), &mcp.CallToolParams{Name: "next", Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

func (x *table) answer(t *testing.T) string {
	t.Helper()
	inbox, err := inboxcmd.Desk(x.host.app, x.host.drive)
	if err != nil {
		t.Fatal(err)
	}
	book, err := inbox.Book()
	if err != nil {
		t.Fatal(err)
	}
	return book.Find("q1").Answer
}

// A model can start warp mcp in its shell, and answer for the person in front of it.
func TestAClientThatNoPersonStartedAnswersNothing(t *testing.T) {
	x := setTable(t)
	x.host.shown = func() bool { return false }
	said, _ := x.call(t, nil)
	if !strings.Contains(said, "A PERSON has to decide") || len(x.asked) > 0 || x.answer(t) != "" {
		t.Errorf("asked %q, answered %q: %s", x.asked, x.answer(t), said)
	}
}

func TestAPersonIsAskedOnceInTheWordsOfTheInbox(t *testing.T) {
	x := setTable(t)
	x.host.shown = func() bool { return true }
	x.call(t, nil)
	if len(x.asked) != 1 || x.asked[0] != "Drop the table?" || x.answer(t) != "yes" {
		t.Errorf("asked %q, answered %q", x.asked, x.answer(t))
	}
}

func TestANumberThatNoIssueHasIsRefused(t *testing.T) {
	x := setTable(t)
	if said, bad := x.call(t, map[string]any{"issue": -5}); !bad || !strings.Contains(said, "-5 is not an issue number") {
		t.Errorf("got %s", said)
	}
}

func TestAToolIsToldToCallATool(t *testing.T) {
	x := setTable(t)
	x.post(t, mind.Board{Standing: mind.Wanting, Issue: "1", Turn: 1, Wanted: &mind.Wanted{Role: "code", Prompt: "do it"}})
	if said, _ := x.call(t, map[string]any{"show": true}); !strings.Contains(said, "call the tool next") || strings.Contains(said, "run\n  warp next") {
		t.Errorf("got %s", said)
	}
}

func TestABoardThatSaysNothingIsNone(t *testing.T) {
	x := setTable(t)
	for _, s := range []mind.Standing{mind.Wanting, mind.Asking} {
		x.post(t, mind.Board{Standing: s, Turn: 1})
		if _, ok := x.desk.Read(); ok {
			t.Errorf("a board that is %s without what is taken for one", s)
		}
	}
}
