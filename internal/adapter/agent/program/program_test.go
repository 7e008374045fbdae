package program

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"warp/internal/engine/agent"
)

func TestWhatIsSaidLastAreItsWords(t *testing.T) {
	p := New(Options{Argv: []string{"x"}}).Parser(agent.Task{})
	for i := range 500_000 {
		p.Line(fmt.Appendf(nil, "line %d", i))
	}
	r := p.End(0, "")
	if r.End != agent.Done || !strings.HasSuffix(r.Text, "\nline 499998\nline 499999") {
		t.Errorf("%s: …%s", r.End, r.Text[len(r.Text)-40:])
	}
	if held := len(p.(*parser).words); held > 5*lastBytes {
		t.Errorf("%d bytes are held", held)
	}
	first, _, _ := strings.Cut(r.Text, "\n")
	if len(r.Text) > lastBytes || !strings.HasPrefix(first, "line ") {
		t.Errorf("%d bytes are kept, from %q on", len(r.Text), first)
	}
}

func TestALineLongerThanWhatIsKept(t *testing.T) {
	p := New(Options{Argv: []string{"x"}}).Parser(agent.Task{})
	events := p.Line([]byte(strings.Repeat("ä", 5<<20)))
	if r := p.End(0, ""); len(r.Text) > lastBytes+4 || len(r.Text) < lastBytes/2 || !utf8.ValidString(r.Text) || len(events) != 1 || len(events[0].Text) > lastBytes {
		t.Errorf("%d bytes, %d events", len(r.Text), len(events))
	}
}

func TestAnErrorIsTold(t *testing.T) {
	p := New(Options{Argv: []string{"x"}}).Parser(agent.Task{})
	p.Line([]byte(`{"type":"usage","input":5}`)) // words like any others
	r := p.End(3, "trying\nno such model\n")
	if r.End != agent.Crashed || !strings.Contains(r.Why, "no such model") || r.Usage.Tokens() != 0 {
		t.Errorf("%+v", r)
	}
	if r := p.End(3, "\n"); r.Why != "it exited with code 3" {
		t.Errorf("without a word: %q", r.Why)
	}
}

func TestNoCommand(t *testing.T) {
	for _, argv := range [][]string{nil, {""}} {
		a := New(Options{Argv: argv})
		if _, err := a.Invoke(agent.Task{Prompt: "x"}, "", nil); err == nil || !strings.Contains(err.Error(), "agent_command") {
			t.Errorf("%q: %v", argv, err)
		}
		if h := a.Check(t.Context()); h.Installed || !strings.Contains(h.Advice, "agent_command") {
			t.Errorf("%q: %+v", argv, h)
		}
	}
	if h := New(Options{Argv: []string{"no-such-program-here"}}).Check(t.Context()); h.Installed || h.Advice == "" {
		t.Errorf("%+v", h)
	}
	if h := New(Options{Argv: []string{"sh", "-c", "true"}}).Check(t.Context()); !h.Installed || h.Advice != "" {
		t.Errorf("%+v", h)
	}
}

func FuzzParser(f *testing.F) {
	f.Add([]byte("a\nb\n\nc"), 0)
	f.Fuzz(func(t *testing.T, out []byte, exit int) {
		p := New(Options{Argv: []string{"x"}}).Parser(agent.Task{})
		for line := range strings.SplitSeq(string(out), "\n") {
			p.Line([]byte(line))
		}
		r := p.End(exit, "")
		if !utf8.ValidString(r.Text) || (r.End == agent.Done) != (exit == 0) {
			t.Fatalf("%+v", r)
		}
	})
}

func TestARelativeProgramIsTheProjects(t *testing.T) {
	for program, want := range map[string]string{"tools/x": "/root/tools/x", "./x": "/root/x", "../x": "/x", "x": "x", "/usr/bin/x": "/usr/bin/x"} {
		inv, err := New(Options{Argv: []string{program, "tools/y"}, Root: "/root"}).Invoke(agent.Task{}, "", nil)
		if err != nil || filepath.ToSlash(inv.Argv[0]) != want || inv.Argv[1] != "tools/y" {
			t.Errorf("%s: %q, %v", program, inv.Argv, err)
		}
	}
}
