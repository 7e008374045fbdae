//go:build unix

package hook_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"warp/internal/core/workqueue"
	"warp/internal/durable"
)

func (p *project) metrics(session string) map[string]any {
	p.t.Helper()
	for _, row := range p.doc("session/metrics.json")["sessions"].([]any) {
		if row := row.(map[string]any); row["session_id"] == session {
			return row
		}
	}
	p.t.Fatalf("nothing was noted of %s", session)
	return nil
}

// as has hooks called by the agent of a process.
func (p *project) as(pid int) { p.env = map[string]string{"CLAUDE_PID": strconv.Itoa(pid)} }

func TestASessionThatDiedIsClosedByTheNextStart(t *testing.T) {
	p := newProject(t)
	p.write(".claude/x", "")
	p.as(os.Getpid())
	p.hook("SessionStart", payload{"session_id": "lives", "source": "startup"})
	p.as(1 << 30) // no process has that number
	p.hook("SessionStart", payload{"session_id": "died", "source": "startup"})
	p.hook("PostToolUseFailure", payload{"session_id": "died", "tool_name": "Bash", "tool_use_id": "t", "tool_input": payload{"command": "curl x"}, "error": "Exit code 7\nConnection refused"})
	p.as(os.Getpid())
	p.hook("SessionStart", payload{"source": "startup"})
	row := p.metrics("died")
	if row["end_reason"] != "died" || row["errors"].(map[string]any)["total"] != 1.0 {
		t.Errorf("%v", row)
	}
	if p.has("session/died.json") || !p.has("session/lives.json") || p.has("errors/classified.json") {
		t.Error("the wrong one was closed")
	}
	p.want("session/current.json", map[string]string{"session_id": `"` + owner + `"`})
}

func TestRemovingTheStateDoesNotEndTheRecording(t *testing.T) {
	p := recording(t)
	p.edit("PostToolUse", "before.go")
	p.hook("Stop", nil)
	if err := os.RemoveAll(filepath.Join(p.root, ".claude/state")); err != nil {
		t.Fatal(err)
	}
	p.edit("PostToolUse", "after.go")
	p.hook("SubagentStop", payload{"agent_id": "a1", "agent_type": "x", "last_assistant_message": `{"findings":[{"severity":"S1","title":"t"}]}`})
	p.hook("PostToolUseFailure", failing("t1", "curl x", "Exit code 7\nConnection refused"))
	p.hook("Stop", nil)
	p.want("session/current.json", map[string]string{"session_id": `"` + owner + `"`, "files_modified": `["after.go"]`, "errors_encountered": "1"})
	if err := os.RemoveAll(filepath.Join(p.root, ".claude/state")); err != nil {
		t.Fatal(err)
	}
	p.edit("PostToolUse", "last.go")
	p.hook("SessionEnd", payload{"reason": "other"})
	p.metrics(owner)
	p.want("session/current.json", map[string]string{"files_modified": `["last.go"]`, "end_reason": `"other"`})
}

func TestWhatASessionFixedIsCounted(t *testing.T) {
	p := newProject(t)
	close := func(titles ...string) {
		_, err := p.drive.Project.Queue().Update(func(tx *durable.Tx[workqueue.Queue]) error {
			if tx.Doc == nil {
				tx.Doc = &workqueue.Queue{Version: workqueue.Version}
			}
			for _, title := range titles {
				it, _ := tx.Doc.Add(workqueue.Found{Title: title, Source: workqueue.FromPerson})
				if _, err := tx.Doc.Done(it.ID); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	close("before")
	p.write(".claude/issues/1.md", "---\ntitle: a\nstate: closed\n---\n\nstate: closed\n")
	p.write(".claude/issues/2.md", "---\ntitle: b\nstate: open\n---\n")
	p.hook("SessionStart", payload{"source": "startup"})
	close("a", "b")
	p.write(".claude/issues/2.md", "---\ntitle: b\nstate: closed\n---\n")
	p.hook("SessionEnd", payload{"reason": "other"})
	if q := p.metrics(owner)["quality"].(map[string]any); q["issues_fixed"] != 3.0 || q["coverage_delta"] != nil {
		t.Errorf("%v", q)
	}
}

func TestTheCoverageIsThatOfReports(t *testing.T) {
	p := newProject(t)
	p.write(".claude/x", "")
	report := func(ran string, at time.Time) {
		path := filepath.Join(p.root, "coverage.out")
		p.write("coverage.out", "mode: set\na.go:1.1,2.2 3 1\na.go:3.1,4.2 1 "+ran+"\n")
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	report("0", now.Add(-time.Hour))
	p.hook("SessionStart", payload{"session_id": "idle", "source": "startup"})
	p.hook("SessionEnd", payload{"session_id": "idle", "reason": "other"})
	if q := p.metrics("idle")["quality"].(map[string]any); q["coverage_delta"] != nil {
		t.Errorf("nothing was measured, and it is told: %v", q)
	}
	p.hook("SessionStart", payload{"source": "startup"})
	report("1", now.Add(time.Hour))
	p.hook("Stop", nil)
	p.hook("SessionEnd", payload{"reason": "other"})
	if q := p.metrics(owner)["quality"].(map[string]any); q["coverage_delta"] != "+25%" {
		t.Errorf("%v", q)
	}
}

// What cannot be read is begun anew by what the message advises.
func TestADamagedRecordOfMetricsIsBegunAnew(t *testing.T) {
	p := recording(t)
	p.write(".claude/state/session/metrics.json", "{ damaged")
	p.hook("SessionEnd", payload{"reason": "other"})
	text, err := os.ReadFile(filepath.Join(p.root, ".claude/state/events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "a new one is made: mv") {
		t.Errorf("the journal does not say what to do: %s", text)
	}
}
