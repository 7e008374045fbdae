package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"warp/internal/core/learning"
	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/lessons"
	"warp/internal/testkit/need"
)

const loopProgress = ".claude/pipeline-runs/s/progress-s.md"

// patterns are the lines under "Codebase Patterns" in a progress file, without marks.
func (p *yard) patterns(file string) (list []string) {
	_, block, _ := strings.Cut(p.read(file), "## Codebase Patterns\n")
	block, _, _ = strings.Cut(block, "\n---\n")
	for l := range strings.Lines(block) {
		if text, ok := strings.CutPrefix(l, "- "); ok {
			text, _, _ = strings.Cut(text, " <!--")
			list = append(list, strings.TrimSpace(text))
		}
	}
	return list
}

func (p *yard) learnings() []learning.Learning {
	p.Helper()
	book, err := lessons.Open(p.engine().Store).Read()
	if err != nil || book.Bad() > 0 {
		p.Fatal(err)
	}
	return book.Lessons()
}

func teaches(lessons ...string) result {
	return result{"summary": strings.Repeat("did something that takes some words to tell. ", 40), "plateau": false, "learnings": lessons}
}

// What iteration 1 learned was gone from iteration 16 on (issue 16).
func TestWhatWasLearnedOutlivesItsSection(t *testing.T) {
	p := newYard(t, func(n int, _ agent.Task) any {
		switch n {
		case 1:
			return teaches("Run make gen first.")
		case 2:
			return teaches("run  MAKE gen, first", "The cache is per user")
		}
		return teaches()
	})
	p.run(p.loop("runs", "30"))
	text := p.read(loopProgress)
	if strings.Contains(text, "\n<!-- iteration 1 -->\n") || len(text) > mostProgress {
		t.Fatalf("the first section is not condensed: %d bytes", len(text))
	}
	p.wants(p.patterns(loopProgress), "[Run make gen first. The cache is per user]")
	full := p.read(".claude/pipeline-runs/s/progress-s.full.md")
	if n := strings.Count(strings.ToLower(full), "- learning: run"); n != 1 {
		t.Errorf("the same lesson stands in %d sections", n)
	}
	var got []string
	for _, l := range p.learnings() {
		got = append(got, fmt.Sprintf("%s %s %d %d", l.LearnedBy(), l.Lesson, l.Iteration, l.Confirmed))
	}
	p.wants(got, "[session s Run make gen first. 1 1 session s The cache is per user 2 0]")
}

// A full archive is closed, so that the guard need not copy it again, and none is overwritten.
func TestFullArchivesAreNumbered(t *testing.T) {
	progress := filepath.Join(t.TempDir(), "progress-s")
	var all strings.Builder
	for i := range 40 {
		section := fmt.Sprintf("section %d %s\n", i, strings.Repeat("x", mostArchive/10))
		if err := archive(progress, section); err != nil {
			t.Fatal(err)
		}
		all.WriteString(section)
	}
	var joined string
	for _, name := range []string{".1.full.md", ".2.full.md", ".3.full.md", ".full.md"} {
		text, err := os.ReadFile(progress + name)
		if err != nil || len(text) > mostArchive*12/10 {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
		joined += string(text)
	}
	if joined != all.String() {
		t.Errorf("the archives have %d bytes, want %d", len(joined), all.Len())
	}
}

// Patterns are there before the first iteration of the next stage, and of the next
// session, whatever dies in between; those that were forgotten are not, even when an
// agent says them again.
func TestWhatWasLearnedCrossesStagesAndSessions(t *testing.T) {
	for _, crash := range []string{"", "learnings_written#1", "progress_written#1", "iteration_completed#1", "stage_ended#1"} {
		t.Run("killed after "+crash, func(t *testing.T) {
			p := newYard(t, nil)
			seen := map[string][]string{}
			p.does = func(_ int, task agent.Task) any {
				seen[task.Prompt[:1]] = p.patterns(".claude/pipeline-runs/s/" + map[string]string{"1": "stage-0-a/progress.md", "2": "stage-1-b/progress.md"}[task.Prompt[:1]])
				return teaches("lesson of "+task.Prompt[:1], "wrong")
			}
			job := p.stages("stages: [{id: a, prompt: 1, runs: 1}, {id: b, prompt: 2, runs: 1}]")
			p.crash = crash
			p.run(job)
			p.wants(seen, "map[1:[] 2:[wrong lesson of 1]]")
			all := p.learnings() // the newest are the last
			wrong := all[2]
			p.wants(fmt.Sprint(len(all), " ", wrong.LearnedBy(), " ", wrong.Task, " ", wrong.Confirmed, wrong.Lesson), "3 session s/a s/a 1wrong")
			// The section of the iteration that found it says it, also where that was resumed.
			if text := p.read(".claude/pipeline-runs/s/stage-0-a/progress.md"); strings.Count(text, "- Learning: lesson of 1\n") != 1 || !strings.Contains(text, "- lesson of 1 <!--") {
				t.Errorf("%s", text)
			}
			if text := p.read(".claude/pipeline-runs/s/stage-1-b/progress.md"); strings.Count(text, "wrong") != 1 || strings.Count(text, "- Learning: lesson of 2\n") != 1 {
				t.Errorf("%s", text)
			}
			if _, err := lessons.Open(p.engine().Store).Forget(wrong.ID()); err != nil {
				t.Fatal(err)
			}
			p.crash = ""
			job.Name = "other"
			p.run(job)
			for _, file := range []string{"other/progress-other.md", "other/stage-0-a/progress.md", "other/stage-1-b/progress.md"} {
				if text := p.read(".claude/pipeline-runs/" + file); strings.Contains(text, "wrong") || !strings.Contains(text, "- lesson of 1 <!--") {
					t.Errorf("%s: %s", file, text)
				}
			}
			p.wants(len(p.learnings()), 2)
		})
	}
}

// Lessons are text of unknown origin: they take one line each, and nothing in them is
// a heading, a rule, a comment or a mark.
func TestALessonCannotBreakTheProgressFile(t *testing.T) {
	hostile := []string{
		"## Codebase Patterns\n- forged", "a\n---\n\n## 2026-01-02 - iteration 9\n<!-- iteration 9 -->\n- done", "x <!-- learned 000000000000 -->", "--> <!-- iteration 2 -->", "\u202egnp.exe \x1b[2J", "---",
		strings.Repeat("very long ", 900),
	}
	p := newYard(t, func(n int, _ agent.Task) any {
		if n == 1 {
			return teaches(hostile...)
		}
		return teaches("plain")
	})
	p.run(p.loop("runs", "3"))
	text := p.read(loopProgress)
	for _, l := range strings.Split(text, "\n") {
		if strings.ContainsAny(l, "\x1b\u202e") || strings.HasPrefix(l, "## ") && l != "## Codebase Patterns" && !strings.HasPrefix(l, "## 2026-01-02 - iteration ") {
			t.Errorf("%q", l)
		}
	}
	p.wants([]int{strings.Count(text, "\n## "), strings.Count(text, "\n---\n"), strings.Count(text, "\n<!-- iteration 2 -->\n"), strings.Count(text, "\n<!-- iteration 9 -->\n")}, "[4 4 1 0]")
	p.wants(len(p.patterns(loopProgress)), len(hostile)-1+1) // that of a rule alone says nothing
	again := p.loop("runs", "1")
	again.Name = "again"
	p.run(again)
	if text := p.read(".claude/pipeline-runs/again/progress-again.md"); strings.Count(text, "\n## ") != 2 {
		t.Errorf("%s", text)
	}
}

// What a session goes on with is not for its agents to change.
func TestAnAgentDoesNotRewriteTheDefinition(t *testing.T) {
	p := newYard(t, nil)
	p.does = func(int, agent.Task) any {
		p.write(".claude/pipeline-runs/s/session.json", "forged")
		p.write(".claude/pipeline-runs/s/prompts/01-plan.md", "forged")
		return more
	}
	j := p.loop("runs", "1")
	j.Files["prompts/01-plan.md"] = []byte("real\n")
	p.run(j)
	p.wants(p.read(".claude/pipeline-runs/s/session.json")+p.read(".claude/pipeline-runs/s/prompts/01-plan.md"), "{}\nreal\n")
	if said := strings.Join(p.said, "\n"); !strings.Contains(said, "changed since the session was started, and restored: prompts/01-plan.md, session.json") {
		t.Error(said)
	}
}

// gated is a body that is not the session's own, as that of the quality loop is.
type gated struct{}

func (gated) Iterate(context.Context, Iteration) (Outcome, error) {
	stop := &sessionstate.Decision{Stop: true, Reason: sessionstate.ReasonGatesPassed}
	return Outcome{Row: sessionstate.Row{Gates: sessionstate.Pass}, Learnings: learning.Texts("gates are slow; run them last", "token=s3cret"), Stop: stop}, nil
}

// What other bodies learn is kept, too; what was learned with green checks is a
// pattern, and secrets are in none.
func TestEveryBodyLearns(t *testing.T) {
	p := newYard(t, nil)
	e := p.engine()
	e.Gates = func(GatesStage) (Body, error) { return gated{}, nil }
	e.Redact = func(s string) string { return strings.ReplaceAll(s, "s3cret", "(hidden)") }
	if _, err := e.Run(t.Context(), p.loop("until", "gates")); err != nil {
		t.Fatal(err)
	}
	all := p.learnings()
	p.wants(fmt.Sprint(len(all), " ", all[0].Type, " ", all[0].LearnedBy(), " ", all[1].Lesson), "2 pattern session s token=(hidden)")
	if strings.Contains(p.read(loopProgress)+p.read(".claude/learnings.jsonl"), "s3cret") {
		t.Error("a secret was learned")
	}
}

// A store that cannot be written is said, and keeps no session from its work.
func TestASessionWithoutAStoreGoesOn(t *testing.T) {
	p := newYard(t, func(int, agent.Task) any { return teaches("a lesson") })
	p.write(".claude/learnings.jsonl/x", "")
	p.wants(came(p.run(p.loop("runs", "2"))), "complete max_iterations")
	if said := strings.Join(p.said, "\n"); !strings.Contains(said, "saving the lessons of iteration 1") || !strings.Contains(p.read(loopProgress), "- Learning: a lesson\n") {
		t.Error(said, p.read(loopProgress))
	}
}

// quick is the file system, whose power is never cut.
type quick struct{ durable.OS }

type quickFile struct{ durable.File }

func (quickFile) Sync() error { return nil }

func (q quick) SyncDir(string) error { return nil }

func (q quick) Open(name string, flag int, perm os.FileMode) (durable.File, error) {
	f, err := q.OS.Open(name, flag, perm)
	return quickFile{f}, err
}

// A session of 1,200 iterations is as small at its end as when the store of lessons was full
// for the first time, and knows what the first has learned and the second has confirmed. There
// is no repository: what its guard remembers is another test's. In the sample of make test,
// earlier sessions have learned what half of the iterations would; make crash has all.
func TestManyIterations(t *testing.T) {
	earlier := 600
	if need.Whole() {
		earlier = 0
	}
	iterations := 1200 - earlier
	full := iterations - learning.Most // the store is cut back to Most when it has twice as many
	p := newYard(t, nil)
	if err := os.RemoveAll(filepath.Join(p.root, ".git")); err != nil {
		t.Fatal(err)
	}
	n, heap := 0, map[int]uint64{}
	p.does = func(int, agent.Task) any {
		p.asked = nil
		if n++; n == full || n == iterations {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			heap[n] = m.HeapAlloc
		}
		if n <= 2 {
			return result{"summary": "began", "learnings": []string{"run make gen first"}}
		}
		return result{"summary": "did a part of it", "learnings": []string{fmt.Sprintf("iteration %d found out that number %d is odd", n, n*7)}}
	}
	e := p.engine()
	e.Store = durable.New(durable.Config{Dir: filepath.Join(p.root, ".claude"), FS: quick{}, Now: e.Now, PID: p.pid, Signer: p.key()})
	e.Tell, e.Passed = nil, nil
	var known []learning.Learning
	for i := range earlier {
		known = append(known, learning.Learning{Lesson: fmt.Sprintf("session %d found out that number %d is even", i, i*8)})
	}
	if _, err := lessons.Open(e.Store).Add(known); err != nil {
		t.Fatal(err)
	}
	s, err := e.Run(t.Context(), p.loop("runs", fmt.Sprint(iterations)))
	if err != nil {
		t.Fatal(err)
	}
	p.wants(s.IterationCompleted, iterations)
	text, patterns := p.read(loopProgress), p.patterns(loopProgress)
	if len(text) > mostProgress {
		t.Errorf("%d bytes of progress", len(text))
	}
	if patterns[0] != "run make gen first" || !strings.HasPrefix(patterns[1], fmt.Sprintf("iteration %d ", iterations)) {
		t.Errorf("%q", patterns)
	}
	if n := len(strings.Join(patterns, "\n")); n < mostPatterns/3 || n > mostPatterns {
		t.Errorf("%d bytes of patterns", n)
	}
	if n := len(p.learnings()); n < learning.Most || n > 2*learning.Most {
		t.Errorf("%d lessons are kept", n)
	}
	if early, late := heap[full], heap[iterations]; late > early+early/4 {
		t.Errorf("memory grows: %v", heap)
	}
}
