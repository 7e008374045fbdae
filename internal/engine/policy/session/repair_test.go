package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/engine/agent"
)

func TestTheNextSessionOfANameKeepsTheFirst(t *testing.T) {
	p := newYard(t, func(int, agent.Task) any { return more })
	p.run(p.loop("runs", "2"))
	s := p.run(p.loop("runs", "1"))
	p.wants(fmt.Sprint(s.IterationCompleted, len(s.History)), "1 1")
	first := p.state("s.2026-01-02T030405")
	p.wants(fmt.Sprint(first.IterationCompleted, " ", first.Status), "2 complete")
	p.run(p.loop("runs", "1"))
	p.wants(p.state("s.2026-01-02T030405-2").IterationCompleted, 1)
}

func TestALoopDoesNotGoOnWithAPipeline(t *testing.T) {
	p := newYard(t, func(int, agent.Task) any { return more })
	p.crash = "iteration_started#1"
	if _, err := p.process(p.stages("stages: [{id: a, prompt: x, runs: 1}, {id: b, prompt: x, runs: 1}]")); err != errDied {
		t.Fatal(err)
	}
	if _, err := p.process(p.loop("runs", "1")); err == nil || !strings.Contains(err.Error(), "have changed since it began") {
		t.Errorf("got %v", err)
	}
	p.wants(len(p.asked), 0)
}

const members = `
stages:
  - id: both
    runs: 1
    prompt: x
    parallel: {agents: [{agent: fake, id: one}, {agent: fake, id: two}], judge: {agent: fake}}
`

// chooses is a member that writes what it found, and a judge that takes the second.
func chooses(_ int, t agent.Task) any {
	if t.Role == agent.Choose {
		return result{"choice": "two", "reason": "r"}
	}
	found, _ := os.ReadFile(filepath.Join(t.Dir, "base.txt"))
	if err := os.WriteFile(filepath.Join(t.Dir, "made.txt"), append([]byte(filepath.Base(t.Dir)+" found "), found...), 0o644); err != nil {
		panic(err)
	}
	return more
}

func TestTheChosenWorkIsTakenAlsoWithoutOutput(t *testing.T) {
	p := newYard(t, chooses)
	p.write("base.txt", "v1")
	p.wants(came(p.run(p.stages(members))), "complete max_iterations")
	p.wants(p.read("made.txt"), "session-s-both.two found v1")
	p.wants(strings.Count(p.git("worktree", "list"), "\n"), 1)
	p.wants(strings.TrimSpace(p.git("branch", "--format=%(refname:short)")), "main")
}

func TestMembersBeginWithWhatIsThereNow(t *testing.T) {
	p := newYard(t, chooses)
	p.write("base.txt", "v1")
	p.run(p.stages(members))
	p.write("base.txt", "v2")
	p.run(p.stages(members))
	p.wants(p.read("made.txt"), "session-s-both.two found v2")
	p.wants(p.read("base.txt"), "v2")
}

func TestWhatAnAgentRemovedIsThereAgain(t *testing.T) {
	p := newYard(t, nil)
	p.does = func(n int, _ agent.Task) any {
		if n == 2 {
			if err := os.RemoveAll(filepath.Join(p.root, ".claude")); err != nil {
				t.Error(err)
			}
		}
		return result{"summary": fmt.Sprint("turn ", n)}
	}
	s := p.run(p.loop("runs", "3"))
	p.wants(fmt.Sprint(came(s), len(s.History)), "complete max_iterations3")
	p.wants(p.read(".claude/pipeline-runs/s/session.json"), "{}\n")
	for n := range 3 {
		if text := p.read(".claude/pipeline-runs/s/progress-s.md"); strings.Count(text, fmt.Sprint("- turn ", n+1)) != 1 {
			t.Errorf("turn %d is not told:\n%s", n+1, text)
		}
	}
}

// An agent's words are kept as its output: that is no change of the agent's.
func TestKeepingItsWordsIsNoChange(t *testing.T) {
	for _, point := range []string{"", "progress_written#1", "judged#1"} {
		p := newYard(t, func(n int, t agent.Task) any {
			if t.Role == agent.Judge {
				return result{"stop": false, "confidence": 1}
			}
			return "I looked, and found nothing."
		})
		p.crash = point
		s := p.run(p.loop("runs", "1", "until", "judge", "min_iterations", "1"))
		if s.History[0].Changed {
			t.Errorf("killed after %q: it counts as a change", point)
		}
	}
}

func TestWhatTheChecksSaidSurvivesACrash(t *testing.T) {
	p := newYard(t, nil)
	p.does = func(n int, _ agent.Task) any {
		p.write("work.txt", fmt.Sprint(n))
		return more
	}
	p.crash = "iteration_completed#1"
	p.run(p.stages("commands: {test: echo the sum is wrong; exit 3}\nstages: [{id: a, prompt: x, runs: 2, verify: [test]}]"))
	if text := p.asked[1].Prompt; !strings.Contains(text, "the sum is wrong") {
		t.Errorf("the second agent was not told:\n%s", text)
	}
}

func TestAGarbledResultIsTold(t *testing.T) {
	p := newYard(t, func(int, agent.Task) any {
		return agent.Result{End: agent.Done, Invalid: "the result file is not valid JSON"}
	})
	s := p.run(p.loop("runs", "1"))
	p.wants(s.History[0].Summary, "the result file is not valid JSON")
}

func TestAGarbledResultIsNoSubject(t *testing.T) {
	p := commits(t, nil)
	p.does = func(_ int, a agent.Task) any {
		p.make(a, "work.txt", "by the agent\n")
		return agent.Result{End: agent.Done, Invalid: "the result file is not valid JSON"}
	}
	p.run(p.stages("stages: [{id: a, prompt: x, runs: 1, commit: true}]"))
	p.wants(p.git("log", "--format=%s", "main..session/s"), "chore: an iteration of s\n")
}

func TestASessionsBoundsHoldForQueues(t *testing.T) {
	for _, bound := range [][]string{{"max_cost", "1"}, {"max_time", "10s"}} {
		p := newYard(t, nil)
		p.items = []Item{{ID: "a"}, {ID: "b"}, {ID: "c"}}
		p.does = func(_ int, a agent.Task) any {
			p.clock = p.clock.Add(20 * time.Second)
			p.items = p.items[1:]
			return agent.Result{End: agent.Done, Usage: agent.Usage{MicroUSD: 2e6, Priced: true}}
		}
		s := p.run(p.loop(append([]string{"until", "queue work"}, bound...)...))
		p.wants(fmt.Sprint(came(s), len(p.asked)), "failed budget1")
	}
}

func TestTimeAsleepIsNotASessions(t *testing.T) {
	p := newYard(t, nil)
	slept := time.Duration(0)
	p.does = func(int, agent.Task) any {
		p.clock, slept = p.clock.Add(7*time.Hour+3*time.Second), slept+7*time.Hour
		return more
	}
	e := p.engine()
	e.Limits.Asleep = func() time.Duration { return slept }
	s, err := e.Run(t.Context(), p.loop("max_time", "10s", "runs", "2"))
	if err != nil {
		t.Fatal(err)
	}
	p.wants(fmt.Sprint(came(s), s.Counts.Seconds, p.asked[1].Timeout), "complete max_iterations6 7s")
}

func TestAnItemThatNobodyFinishesIsNoEmptyQueue(t *testing.T) {
	p := newYard(t, func(_ int, a agent.Task) any {
		if a.Criteria[0] == "b" {
			return result{"summary": "s", "items_completed": a.Criteria}
		}
		return more
	})
	p.items = []Item{{ID: "a", Title: "hard"}, {ID: "b", Title: "easy"}}
	s := p.run(p.loop("until", "queue work"))
	p.wants(came(s)+" "+s.Why, "failed failed 1 item tried 3 times and not done")
	p.wants(fmt.Sprint(len(p.asked), p.items), fmt.Sprint(4, []Item{{ID: "a", Title: "hard"}}))
}

// Claude Code refuses to write below .claude, so agents are given another place.
func TestOutputIsWrittenOutsideOfTheProject(t *testing.T) {
	for _, point := range []string{"", "iteration_marked#2", "agent_answered#2"} {
		p := newYard(t, nil)
		tmp := t.TempDir()
		t.Setenv("TMPDIR", tmp)
		p.does = func(n int, a agent.Task) any {
			path := strings.TrimSpace(strings.TrimPrefix(strings.Split(a.Prompt, "\n")[0], "OUTPUT "))
			if !strings.HasPrefix(path, tmp) {
				t.Errorf("it is told to write to %s", path)
			}
			was, _ := os.ReadFile(path)
			if err := os.WriteFile(path, append(was, fmt.Sprintln("turn", a.Chunk)...), 0o600); err != nil {
				t.Error(err)
			}
			return more
		}
		p.crash = point
		s := p.run(p.stages("stages: [{id: a, prompt: \"OUTPUT ${OUTPUT}\\n\", runs: 2}]"))
		p.wants(p.read(".claude/pipeline-runs/s/stage-0-a/output.md"), "turn 1\nturn 2\n")
		p.wants(fmt.Sprint(s.History[0].Changed, s.History[1].Changed), "true true")
		if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
			t.Errorf("killed after %q: left %v, %v", point, left, err)
		}
	}
}
