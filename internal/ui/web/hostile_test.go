package web

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/questions"
	"warp/internal/testkit/gittest"
)

// hostile is a text that wants to be more than a text.
const hostile = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>{{.CSRF}}\x1b]0;title\x07\x1b[2J\u202egnp.exe\u2066\u200b"

// A hostile project: nothing in it runs, nothing turns the page around, nothing fills
// the memory.
func TestAHostileProject(t *testing.T) {
	p := newProject(t, true)
	dir := p.drive.Root()
	huge := hostile + strings.Repeat("x", 10<<20)
	big := hostile + strings.Repeat("x", 100<<10)
	name := "<img src=x onerror=alert(1)>\u202e.go"
	gittest.Sh(t, dir, "git init -q && git config user.name x && git config user.email x && git commit -q --allow-empty -m begin")
	gittest.Must(t, os.WriteFile(filepath.Join(dir, name), []byte("package x // "+hostile+"\n"+strings.Repeat("y", 10<<20)+"\n"), 0o644))
	gittest.Sh(t, dir, "git add -A . && git commit -q -m hostile")
	hash := strings.TrimSpace(gittest.Sh(t, dir, "git rev-parse HEAD"))
	log := filepath.Join(dir, ".claude", "state", "runs", "r1", "output.log")
	gittest.Must(t, os.MkdirAll(filepath.Dir(log), 0o755))
	gittest.Must(t, os.WriteFile(log, []byte(huge+"\n"+`{"type":"text","text":"</script><script>alert(1)</script>`+"\u202e"+`"}`), 0o644))
	p.wrote(event.Criteria, evidence.Written{Issue: "7", Epoch: 5, Criteria: []evidence.Criterion{{ID: "AC-01", Text: huge}, {ID: hostile, Text: hostile}}})
	p.wrote(event.Run, evidence.Run{Issue: "7", Epoch: 5, Role: hostile, Agent: hostile, Model: hostile, End: hostile, Why: big, Summary: huge, Log: log})
	p.wrote(event.Run, evidence.Run{Work: "session " + hostile, Role: "loop", Log: "/etc/passwd"})
	p.wrote(event.Gate, evidence.Gate{Issue: "7", Epoch: 5, Event: hostile, Gate: hostile, Reason: big, Excerpt: big})
	p.wrote(event.Tested, evidence.Tested{Issue: "7", Epoch: 5, Stage: "final", Command: hostile, Excerpt: big, Broke: []string{hostile}, Log: "/etc/passwd"})
	p.wrote(event.Intervened, evidence.Intervened{Issue: "7", Epoch: 5, What: hostile, Text: big, Kept: hostile})
	p.wrote(event.Verdict, evidence.Verdict{Issue: "7", Epoch: 5, ID: "AC-01", Reason: big, Agent: hostile})
	p.wrote(event.Commit, evidence.Commit{Issue: "7", Epoch: 5, Hash: hash, Subject: big, Criteria: []string{"AC-01"}})
	p.wrote(event.Outcome, evidence.Outcome{Issue: "7", Epoch: 5, Title: huge, Result: evidence.Failed, Why: big, Do: big})
	p.wrote(event.PassedOver, evidence.PassedOver{Issue: "9", Title: big, Why: big})
	p.asked(questions.Question{By: questions.Agent, Issue: "7", Text: huge, Options: []string{hostile, "b"}, Default: hostile}, time.Hour)
	p.read()
	for _, path := range []string{"/", "/inbox", "/history", "/history?q=%22%3E%3Cscript%3E", "/health", "/issue/7", "/issue/7/diff/" + hash, "/issue/7/run/r1"} {
		page := p.get(path)
		for _, bad := range []string{"<script>alert", "<img", "\x1b", "\x07", "\u202e", "\u2066", "\u200b", p.server.CSRF + "\\u001b"} {
			if i := strings.Index(page, bad); i >= 0 {
				t.Errorf("%s has %q: …%q…", path, bad, page[max(0, i-80):min(len(page), i+80)])
			}
		}
		if len(page) > 2<<20 {
			t.Errorf("%s has %d bytes", path, len(page))
		}
	}
	contains(t, p.get("/issue/7"), `\u202egnp.exe`, "&lt;script&gt;alert(1)")
	contains(t, p.get("/issue/7/diff/"+hash), `&lt;img src=x onerror=alert(1)&gt;`, `\u202e`)
	for _, path := range []string{"/issue/-/run/etc", "/issue/7/test/passwd"} { // rows that name files elsewhere
		if w := p.do(p.request("GET", path, "")); w.Code != 404 || strings.Contains(w.Body.String(), "root:") {
			t.Errorf("%s: %d\n%s", path, w.Code, w.Body)
		}
	}
}
