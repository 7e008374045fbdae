package live_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/drivestate"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/drive"
	"warp/internal/ui/live"
)

func now() time.Time { return time.Now().UTC() }

// watch lets a test look at a terminal while time is the test's own.
func watch(t *testing.T, width, height int, test func(*terminal, *live.View)) {
	synctest.Test(t, func(t *testing.T) {
		s := newTerminal(t, width, height)
		v := live.New(s, live.Options{Terminal: true, Verbose: true, Size: s.size, Now: now})
		test(s, v)
		v.Close()
	})
}

// frames lets time pass.
func frames(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func note(v *live.View, list ...drive.Note) {
	for _, n := range list {
		n.At = now()
		if n.Issue == "" {
			n.Issue, n.Title = "42", "Greet people"
		}
		v.Note(n)
	}
}

func yes() *bool { b := true; return &b }
func no() *bool  { b := false; return &b }

// criteria are n, of which the first are done and the next are being done.
func criteria(n, done, doing int) (out []drive.Criterion) {
	for i := range n {
		out = append(out, drive.Criterion{ID: fmt.Sprintf("AC-%02d", i+1), Text: fmt.Sprintf("thing %d", i+1), Done: i < done, Doing: i >= done && i < done+doing})
	}
	return out
}

func said(kind, tool, text string) drive.Note {
	return drive.Note{Kind: drive.AgentSaid, Speaker: drive.Speaker{Agent: "claude", Said: &agent.Event{Kind: kind, Tool: tool, Text: text}}}
}

var (
	began  = drive.Note{Kind: drive.Began}
	coding = drive.Note{Kind: drive.Phased, Move: drive.Move{From: drivestate.Chunking, Phase: drivestate.Coding, Event: drivestate.ChunksDefined, Chunk: 2, Total: 5}}
	asked  = drive.Note{Kind: drive.AgentBegan, Speaker: drive.Speaker{Agent: "claude", Role: agent.Code}}
)

func want(t *testing.T, got, text string) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimLeft(text, "\n"), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// once wants each of the texts to be there exactly once.
func once(t *testing.T, got string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if n := strings.Count(got, text); n != 1 {
			t.Errorf("%q is there %d times in:\n%s", text, n, got)
		}
	}
}
