//go:build unix

package hook_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/questions"
	"warp/internal/durable"
	"warp/internal/engine/inbox"
)

func (p *project) askTool(session string) answer {
	return p.hook("PreToolUse", payload{"session_id": session, "tool_name": "AskUserQuestion", "tool_input": payload{"questions": []any{}}, "tool_use_id": "toolu_1"})
}

func TestRemoteModeForcesQuestionsToTheBridge(t *testing.T) {
	p := driven(t, drivestate.Coding)
	if a := p.askTool(owner); a.denied() {
		t.Errorf("remote mode is off: %s", a.Out)
	}
	p.write(".claude/settings.local.json", `{"_rdb":{"enabled":true}}`)
	if a := p.askTool(owner); !a.denied() || !strings.Contains(a.Specific.Reason, "warp ask") {
		t.Errorf("%+v", a)
	}
	if a := p.askTool("another"); a.Out != "" {
		t.Errorf("another session is left alone: %s", a.Out)
	}
	p.write(".claude/settings.local.json", `{"_rdb":`)
	if a := p.askTool(owner); !a.denied() {
		t.Error("a guard that cannot read its policy denies")
	}
}

// desk is the inbox as warp answer opens it.
func (p *project) desk() *inbox.Inbox {
	return inbox.Open(p.drive.Project.Home(), time.Now, inbox.Hear{Mark: func(root, session string) error {
		p.write(questions.AnswersFile, session+"\n")
		return nil
	}})
}

func (p *project) asked(session, text string) string {
	p.t.Helper()
	it, err := p.desk().Put(questions.Question{By: questions.Agent, Text: text, Session: session, Root: p.root}, time.Hour)
	if err != nil {
		p.t.Fatal(err)
	}
	return it.ID
}

func (p *project) answered(id, said string) {
	p.t.Helper()
	if _, err := p.desk().Answer(id, said, "ann"); err != nil {
		p.t.Fatal(err)
	}
}

func TestAnAnswerIsPutBeforeItsSessionOnce(t *testing.T) {
	for _, event := range []string{"PostToolUse", "UserPromptSubmit", "SessionStart"} {
		p := driven(t, drivestate.Coding)
		id := p.asked("another", "which?")
		if a := p.hook(event, payload{"session_id": "another"}); strings.Contains(a.Out, "which?") {
			t.Errorf("%s: nobody has answered: %s", event, a.Out)
		}
		p.answered(id, "sqlite")
		if a := p.hook(event, payload{"session_id": "third"}); strings.Contains(a.Out, "sqlite") {
			t.Errorf("%s: it is not this session's: %s", event, a.Out)
		}
		if a := p.hook(event, payload{"session_id": "another"}); !strings.Contains(a.Specific.Context, `"which?" -> sqlite`) {
			t.Errorf("%s: %s", event, a.Out)
		}
		if a := p.hook(event, payload{"session_id": "another"}); strings.Contains(a.Out, "sqlite") {
			t.Errorf("%s: told twice: %s", event, a.Out)
		}
		if _, err := os.Lstat(filepath.Join(p.root, questions.AnswersFile)); err == nil {
			t.Errorf("%s: the sign stays", event)
		}
	}
}

// betweenLocks is a file system on which something happens between two changes: before the
// lock that is taken after a file was replaced.
type betweenLocks struct {
	durable.OS
	after    string // the file
	happens  func()
	replaced bool
}

func (b *betweenLocks) Rename(from, to string) error {
	b.replaced = b.replaced || filepath.Base(to) == b.after
	return b.OS.Rename(from, to)
}

func (b *betweenLocks) TryLock(name string) (io.Closer, bool) {
	if happens := b.happens; b.replaced && happens != nil {
		b.happens = nil
		happens()
	}
	return b.OS.TryLock(name)
}

// What a person answers while a session is told an earlier answer is told next.
func TestAnAnswerBetweenIsNotLost(t *testing.T) {
	p := driven(t, drivestate.Coding)
	first, second := p.asked("another", "which?"), p.asked("another", "where?")
	p.answered(first, "sqlite")
	p.fs = &betweenLocks{after: "inbox.json", happens: func() { p.answered(second, "here") }}
	if a := p.hook("PostToolUse", payload{"session_id": "another"}); !strings.Contains(a.Specific.Context, "sqlite") || strings.Contains(a.Out, "here") {
		t.Errorf("%s", a.Out)
	}
	if a := p.hook("PostToolUse", payload{"session_id": "another"}); !strings.Contains(a.Specific.Context, `"where?" -> here`) {
		t.Errorf("the second answer was not told: %s", a.Out)
	}
	if _, err := os.Lstat(filepath.Join(p.root, questions.AnswersFile)); err == nil {
		t.Error("the sign stays")
	}
}

func TestTheOwnerReadsWhatTheSessionBeforeItAsked(t *testing.T) {
	p := driven(t, drivestate.Coding)
	p.answered(p.asked("gone", "which?"), "postgres")
	if a := p.ran("ls"); !strings.Contains(a.Specific.Context, "postgres") {
		t.Error(a.Out)
	}
}

func TestOnlyAPersonAnswers(t *testing.T) {
	p := driven(t, drivestate.Coding)
	for _, command := range []string{"warp answer q1 yes", "warp rdb on --chat 5", "warp rdb on --chat=5"} {
		if !p.bash(command).denied() {
			t.Errorf("%s was let pass", command)
		}
	}
	for _, command := range []string{"warp ask 'which?' --option a", "warp rdb status", "warp rdb on"} {
		if a := p.bash(command); a.denied() {
			t.Errorf("%s was denied: %s", command, a.Specific.Reason)
		}
	}
}
