//go:build unix

package hook_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/durable"
	"warp/internal/hook"
)

// counting is the operating system's files; it counts what is read of journals.
type counting struct {
	durable.OS
	read *int
}

func (c counting) Open(name string, flag int, perm fs.FileMode) (durable.File, error) {
	f, err := c.OS.Open(name, flag, perm)
	if err != nil || !strings.HasSuffix(name, ".jsonl") {
		return f, err
	}
	return countingFile{f, c.read}, nil
}

type countingFile struct {
	durable.File
	read *int
}

func (f countingFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	*f.read += n
	return n, err
}

func (f countingFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(p, at)
	*f.read += n
	return n, err
}

// journalRead is how much of the journal a hook reads.
func (p *project) journalRead(event string, more payload) int {
	p.t.Helper()
	around, out, errs := p.around(strings.NewReader(p.text(event, more)))
	read := 0
	around.System.FS = counting{read: &read}
	if code := hook.Run([]string{event}, around); code != 0 || out.Len()+errs.Len() > 0 && event != "UserPromptSubmit" {
		p.t.Errorf("%s: exit %d: %s%s", event, code, out, errs)
	}
	return read
}

// manyRows are more than a hook may read.
func (p *project) manyRows() {
	p.t.Helper()
	rows := make([]any, 5000)
	for i := range rows {
		rows[i] = map[string]string{"session": "another", "file": "a.go"}
	}
	if err := p.drive.Store().Append(event.Edit, rows...); err != nil {
		p.t.Fatal(err)
	}
}

// A hook once read all that was journalled since the state was written: two seconds on
// every call after 100,000 rows.
func TestAHookReadsNoMoreTheLongerTheJournalIs(t *testing.T) {
	const most = 16 << 10 // manyPending rows, and the document's own
	calls := []struct {
		event string
		input payload
	}{
		{"PreToolUse", payload{"tool_name": "Bash", "tool_input": payload{"command": "git log -1"}}},
		{"PreToolUse", payload{"tool_name": "Bash", "tool_input": payload{"command": "rm -f x.tmp"}}},
		{"PreToolUse", payload{"tool_name": "Write", "tool_input": payload{"file_path": "b.go", "content": "x"}}},
		{"PostToolUse", payload{"tool_name": "Bash", "tool_input": payload{"command": "git status"}}},
		{"PostToolUse", payload{"tool_name": "Write", "tool_input": payload{"file_path": "b.go", "content": "x"}}},
		{"UserPromptSubmit", payload{"prompt": "go on"}},
	}
	t.Run("the drive is over", func(t *testing.T) {
		p := driven(t, drivestate.Coding)
		p.fire(drivestate.Abort, "")
		p.fire(drivestate.AbortResolved, "")
		p.manyRows()
		for _, c := range calls {
			if n := p.journalRead(c.event, c.input); n > most {
				t.Errorf("%s of %v reads %d bytes", c.event, c.input["tool_input"], n)
			}
		}
		p.hook("Stop", nil)
		if v, err := p.drive.Peek(); err != nil || v.Pending > 64 {
			t.Errorf("at the end of the turn %d rows are pending, %v", v.Pending, err)
		}
	})
	t.Run("the drive is another session's", func(t *testing.T) {
		p := driven(t, drivestate.Coding)
		p.manyRows()
		for _, c := range calls {
			c.input["session_id"] = "another"
			if n := p.journalRead(c.event, c.input); n > most {
				t.Errorf("%s of %v reads %d bytes", c.event, c.input["tool_input"], n)
			}
			delete(c.input, "session_id")
		}
	})
	t.Run("the drive is this session's", func(t *testing.T) {
		p := driven(t, drivestate.Coding)
		p.manyRows()
		if n := p.journalRead("PostToolUse", calls[3].input); n < most {
			t.Errorf("what others journalled is not taken in: %d bytes", n)
		}
		for _, c := range calls {
			if n := p.journalRead(c.event, c.input); n > most {
				t.Errorf("%s of %v reads %d bytes", c.event, c.input["tool_input"], n)
			}
		}
	})
	t.Run("git's own hooks", func(t *testing.T) {
		p := driven(t, drivestate.Coding)
		p.fire(drivestate.Abort, "")
		p.fire(drivestate.AbortResolved, "")
		p.manyRows()
		head := p.git("rev-parse", "HEAD")
		around, _, errs := p.around(strings.NewReader(head + " " + head + " refs/heads/main\n"))
		read := 0
		around.System.FS = counting{read: &read}
		if code := hook.Run([]string{"git", "reference-transaction", "prepared"}, around); code != 0 || read > most {
			t.Errorf("exit %d, %d bytes: %s", code, read, errs)
		}
	})
}

// The figures of a turn are in the file at its end, for a user who reads it with jq.
func TestEditsAreInTheStateFileAtTheEndOfATurn(t *testing.T) {
	p := driven(t, drivestate.Coding)
	p.write(".claude/settings.local.json", `{"_workflow":{"max_edits_per_file":3}}`)
	p.hook("SessionStart", payload{"source": "startup"}) // one that was not seen to begin would be put on record first
	for range 4 {
		p.edit("PostToolUse", "a.go")
	}
	p.hook("Stop", nil)
	text, err := os.ReadFile(filepath.Join(p.root, ".claude/.warp-drive-state.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"a.go": 4`, `"doom_loop_events": [`, `"file": "a.go"`, `"count": 4`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is missing in %s", want, text)
		}
	}
	rows := strings.Count(p.journal(), "\n")
	p.hook("Stop", nil)
	if n := strings.Count(p.journal(), `"settled"`); n != 1 {
		t.Errorf("a turn without an edit is written too: %d rows, %d settled", rows, n)
	}
}
