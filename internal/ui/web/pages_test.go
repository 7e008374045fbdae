package web

import (
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/questions"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/testkit/gittest"
	"warp/internal/turnstile"
	"warp/internal/turnstile/documents"
)

func TestTheNightIsOnTheFirstPage(t *testing.T) {
	p := newProject(t, false)
	p.worked()
	p.read()
	page := p.get("/")
	board := page[strings.Index(page, `id="column-ready"`):]
	merged, rest, _ := strings.Cut(board[strings.Index(board, `id="column-merged"`):], `id="column-not-merged"`)
	contains(t, merged, "#7", "Greet people", "1 of 2 criteria met", "$1.25")
	contains(t, rest, "#8", "Store it", "TestStore fails", "failed")
	contains(t, page, "$1.75", "Read-only", "<svg")
	if strings.Contains(page, "<form method=\"post\"") {
		t.Error("a page that is only read has a button")
	}
}

func TestTheEvidenceOfAnIssue(t *testing.T) {
	p := newProject(t, true)
	p.worked()
	p.read()
	page := p.get("/issue/7")
	contains(t, page, "#7 Greet people", "AC-01", "It greets", "the test shows it", "/issue/7/diff/0123456789abcdef", "reset --hard was undone", "refs/warp/kept/1", "make lint", "a.go:3 unused", "<svg", "$1.25")
	contains(t, p.get("/issue/8"), `action="/do/resume/drive/8"`, "Retry")
	if w := p.do(p.request(http.MethodGet, "/issue/99", "")); w.Code != http.StatusNotFound {
		t.Errorf("an unknown issue: %d", w.Code)
	}
	if w := p.do(p.request(http.MethodGet, "/issue/7/diff/fedcba9876543210fedcba9876543210fedcba98", "")); w.Code != http.StatusNotFound {
		t.Errorf("a commit that is not the issue's: %d", w.Code)
	}
}

func TestBrowsersFindTheIcon(t *testing.T) {
	p := newProject(t, false)
	at := p.do(p.request(http.MethodGet, "/favicon.ico", "")).Header().Get("Location")
	if w := p.do(p.request(http.MethodGet, at, "")); at == "" || w.Code != http.StatusOK || w.Header().Get("Content-Type") != "image/svg+xml" {
		t.Errorf("%q: %d %v", at, w.Code, w.Header())
	}
}

func TestTheHistoryIsFiltered(t *testing.T) {
	p := newProject(t, false)
	p.worked()
	p.read()
	all := p.get("/history")
	contains(t, all, "Greet people", "Store it", `href="/issue/7?drive=5"`, "Night of")
	if some := p.get("/history?state=failed"); strings.Contains(some, "Greet people") || !strings.Contains(some, "Store it") {
		t.Error(some)
	}
	if none := p.get("/history?kind=loop"); !strings.Contains(none, "Nothing matches") {
		t.Error(none)
	}
	contains(t, p.get("/issue/7?drive=5"), "Greet people")
}

// A question whose time is over does not wait until then.
func TestAQuestionIsLate(t *testing.T) {
	p := newProject(t, true)
	p.asked(questions.Question{By: questions.Agent, Text: "Which store?", Issue: "7"}, 10*time.Minute)
	p.now = p.now.Add(time.Hour)
	p.read()
	page := p.get("/inbox")
	contains(t, page, "Which store?", `was due <time datetime="2026-11-14T20:10:00Z">`)
	if strings.Contains(page, "data-until") {
		t.Error(page)
	}
}

func TestQuestionsAreAnsweredByTheCommand(t *testing.T) {
	p := newProject(t, true)
	q := p.asked(questions.Question{By: questions.Agent, Text: "Which store?", Options: []string{"sqlite", "postgres"}, Default: "sqlite", Issue: "7"}, 10*time.Minute)
	p.read()
	contains(t, p.get("/inbox"), "Which store?", `value="postgres"`, "Use the default: sqlite", `datetime="2026-11-14T20:10:00Z" data-until`)
	w := p.do(p.request(http.MethodPost, "/answer/"+q.ID, "say=postgres&back=/inbox"))
	if w.Code != http.StatusSeeOther || !strings.HasPrefix(w.Header().Get("Location"), "/inbox?said=") {
		t.Fatalf("%d %s\n%s", w.Code, w.Header(), w.Body)
	}
	contains(t, p.get(w.Header().Get("Location")), "warp answer -- q1 postgres", "done")
	p.do(p.request(http.MethodPost, "/answer/"+q.ID, "say=neither+of+them"))
	if got := strings.Join(p.lines[len(p.lines)-1], " "); got != "answer --other -- q1 neither of them" {
		t.Error(got)
	}
	if w := p.do(p.request(http.MethodPost, "/answer/q9", "say=postgres")); w.Code != http.StatusNotFound {
		t.Errorf("a question that there is not: %d", w.Code)
	}
}

func TestAPageElsewhereIsNotLedTo(t *testing.T) {
	p := newProject(t, true)
	p.worked()
	p.read()
	for _, back := range []string{"https://evil.invalid/", "//evil.invalid", "javascript:alert(1)", ""} {
		w := p.do(p.request(http.MethodPost, "/do/resume/drive/8", "back="+back))
		if at := w.Header().Get("Location"); w.Code != http.StatusSeeOther || !strings.HasPrefix(at, "/?said=") {
			t.Errorf("%q: %d %q", back, w.Code, at)
		}
	}
}

// A button runs the command that a person would type, where the work is done.
func TestButtonsOfADrive(t *testing.T) {
	p := newProject(t, true)
	_, err := p.drive.Init(t.Context(), turnstile.Start{Level: 3, Issue: "7", PID: os.Getpid(), Headless: true})
	gittest.Must(t, err)
	gittest.Must(t, workflowOf(p))
	p.read()
	page := p.get("/issue/7")
	for verb, want := range map[string]string{"pause": "pause -- 7", "skip": "stop --skip -- 7", "stop": "stop -- 7"} {
		contains(t, page, `action="/do/`+verb+`/drive/7"`)
		w := p.do(p.request(http.MethodPost, "/do/"+verb+"/drive/7", "back=/issue/7"))
		if got := strings.Join(p.lines[len(p.lines)-1], " "); got != want || w.Code != http.StatusSeeOther {
			t.Errorf("%s: %d, ran %q, want %q", verb, w.Code, got, want)
		}
		w = p.do(p.request(http.MethodPost, apiRoot+"/items/drive/7/"+verb, ""))
		contains(t, w.Body.String(), `"line": [`, `"text": "done"`)
	}
	if strings.Contains(page, `/do/resume/`) || strings.Contains(page, `/do/continue/`) {
		t.Error("what runs can be resumed")
	}
	ran := len(p.lines)
	if w := p.do(p.request(http.MethodPost, "/do/skip/workflow/tasks", "")); w.Code != http.StatusBadRequest || len(p.lines) != ran {
		t.Errorf("a workflow was skipped: %d %q", w.Code, p.lines)
	}
}

// workflowOf gives a project a workflow that is under way.
func workflowOf(p *project) error {
	_, err := documents.OpenWorkflow(p.drive.Store()).Update(func(tx *durable.Tx[workflowstate.State]) error {
		tx.Doc = workflowstate.Begin(workflowstate.Plan{ID: "w1", TaskDoc: filepath.Join(p.drive.Root(), "tasks.md"), Phases: 1, Tasks: []workflowstate.Planned{{Phase: 0, Task: "T1", Name: "one"}}}, p.now)
		return nil
	})
	return err
}

// A workflow goes back to a checkpoint by the command, with the number that was pressed.
func TestACheckpointIsRestored(t *testing.T) {
	p := newProject(t, true)
	gittest.Must(t, workflowOf(p))
	p.read()
	p.say = func(args []string) Said {
		if args[1] == "list" {
			return Said{Out: []byte(`[{"checkpoint":1,"task":"phase-1","git_sha":"0123456789abcdef","restorable":true},{"checkpoint":2,"task":"T1","note":"<b>","left_behind":true},{"checkpoint":3,"task":"T1","manual":true}]`)}
		}
		return Said{Text: "back at 1"}
	}
	page := p.get("/run/workflow/tasks")
	contains(t, page, `action="/restore/tasks"`, `name="checkpoint" value="1"`, "0123456789", "&lt;b&gt;", "left behind", "at the end of phase 1", "before T1", "by hand, at T1")
	if strings.Contains(page, `value="2"`) {
		t.Error("what cannot be restored has a button")
	}
	began := regexp.MustCompile(`name="began" value="([^"]+)"><button name="checkpoint"`).FindStringSubmatch(page)
	if began == nil {
		t.Fatalf("the form does not say whose checkpoint it is:\n%s", page)
	}
	w := p.do(p.request(http.MethodPost, "/restore/tasks", "checkpoint=1&back=/run/workflow/tasks&began="+url.QueryEscape(html.UnescapeString(began[1]))))
	contains(t, p.get(w.Header().Get("Location")), "warp checkpoint restore 1 --yes", "back at 1")
	for name, form := range map[string]string{"tasks": "checkpoint=0", "tasks/": "checkpoint=1", "none": "checkpoint=1", "tasks?": "checkpoint=--help", "tasks?of=another": "checkpoint=1&began=2001-01-01T00:00:00Z"} {
		ran := len(p.lines)
		if w := p.do(p.request(http.MethodPost, "/restore/"+name, form)); w.Code < 400 || len(p.lines) != ran {
			t.Errorf("%s %s: %d %q", name, form, w.Code, p.lines[ran:])
		}
	}
}

// What is continued may take hours: it does not end with the request.
func TestAPausedWorkflowIsContinuedInTheBackground(t *testing.T) {
	p := newProject(t, true)
	gittest.Must(t, workflowOf(p))
	_, err := documents.OpenWorkflow(p.drive.Store()).Update(func(tx *durable.Tx[workflowstate.State]) error {
		tx.Doc.Pause(workflowstate.PausedPerson, "a person paused it", "", p.now)
		return nil
	})
	gittest.Must(t, err)
	p.read()
	contains(t, p.get("/run/workflow/tasks"), `action="/do/continue/workflow/tasks"`)
	p.do(p.request(http.MethodPost, "/do/continue/workflow/tasks", ""))
	if got := strings.Join(p.lines[len(p.lines)-1], " "); got != "workflow resume --detach" {
		t.Error(got)
	}
}

// A workflow whose place another has taken has neither its checkpoints nor its runs, and
// nothing that is pressed there changes the other.
func TestAnArchivedWorkflowIsOnlyLookedAt(t *testing.T) {
	p := newProject(t, true)
	gittest.Must(t, workflowOf(p))
	old := workflowstate.Begin(workflowstate.Plan{ID: "w0", TaskDoc: "/somewhere/old.md", Phases: 1, Tasks: []workflowstate.Planned{{Task: "T1"}}}, p.now.Add(-time.Hour))
	gittest.Must(t, old.Fire(workflowstate.Aborted, "a person ended it", "", p.now.Add(-time.Minute)))
	dir := filepath.Join(p.drive.Store().Dir(), workflowstate.Archive, "w0")
	gittest.Must(t, os.MkdirAll(dir, 0o755))
	gittest.Must(t, os.WriteFile(filepath.Join(dir, workflowstate.File), workflowstate.Print(old, nil), 0o644))
	p.wrote(event.Run, evidence.Run{Work: "workflow w0", Role: "code", Agent: "first", End: "done"})
	p.wrote(event.Run, evidence.Run{Work: "session old", Role: "code", Agent: "second", End: "done"})
	p.say = func([]string) Said { return Said{Out: []byte(`[{"checkpoint":1,"task":"T1","restorable":true}]`)} }
	p.read()
	page := p.get("/run/workflow/old")
	contains(t, page, "stopped", "first")
	for _, not := range []string{"Checkpoints", "<form method=", "second"} {
		if strings.Contains(page, not) {
			t.Errorf("%q is in\n%s", not, page)
		}
	}
	ran := len(p.lines)
	if w := p.do(p.request(http.MethodPost, "/restore/old", "checkpoint=1")); w.Code != http.StatusBadRequest || len(p.lines) != ran {
		t.Errorf("%d %q", w.Code, p.lines[ran:])
	}
}

// The name of a file may be longer than what an address has of it.
func TestALongNameLeadsToItsPage(t *testing.T) {
	p := newProject(t, false)
	gittest.Must(t, workflowOf(p))
	_, err := documents.OpenWorkflow(p.drive.Store()).Update(func(tx *durable.Tx[workflowstate.State]) error {
		tx.Doc.Orchestrator.TaskDoc = "/" + strings.Repeat("long", 60) + ".md"
		return nil
	})
	gittest.Must(t, err)
	p.read()
	link := regexp.MustCompile(`href="(/run/workflow/[^"]*)"`).FindStringSubmatch(p.get("/history"))
	contains(t, p.get(strings.ReplaceAll(link[1], "&amp;", "&")), "longlong")
}

// A passed over issue leads to its page, also where the project is one of several.
func TestLinksStayInTheirProject(t *testing.T) {
	p := newProject(t, false)
	p.server.Base = "/p/1"
	p.worked()
	p.wrote(event.PassedOver, evidence.PassedOver{Issue: "9", Title: "Late", Why: "it waits for #8"})
	p.read()
	for _, path := range []string{"/", "/history", "/issue/7", "/money", "/inbox"} {
		for _, link := range regexp.MustCompile(` (?:href|src|action|data-load|data-live)="(/[^"]*)"`).FindAllStringSubmatch(p.get(path), -1) {
			if !strings.HasPrefix(link[1], "/p/1/") {
				t.Errorf("%s leads to %s", path, link[1])
			}
		}
	}
}
