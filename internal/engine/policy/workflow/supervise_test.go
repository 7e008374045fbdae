package workflow

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"warp/internal/core/workflowstate"
	"warp/internal/core/workflowstate/supervise"
	"warp/internal/engine/agent"
)

// two is a document of two tasks, of which the second can be planned anew while
// the first is at work.
const two = "# Two\n\n## Outer loop\n- enabled: no\n\n### Phase 1: P\n#### Task 1.1: First\nDo it.\n\nFiles: a.txt\n- [ ] There: `test -s a.txt`\n- [ ] It reads well\n" +
	"#### Task 1.2: Second\nDepends on: 1.1\nFiles: b.txt\n- [ ] There: `test -s b.txt`\n"

// checks tells which check a supervisor is asked for.
func checks(t agent.Task, task, when string) bool {
	return t.Role == agent.Supervise && t.Issue == task && strings.Contains(t.Prompt, "the "+when+" check")
}

func conflict(kind, severity string) result {
	return result{"conflicts": []result{{"type": kind, "severity": severity, "resolution": "the " + kind + " is wrong"}}}
}

// anew is a plan in which both tasks are others.
var anew = result{"approach": `{"tasks":[{"task":"1.1","description":"Do it otherwise."},{"task":"1.2","name":"Second, renamed"},{"task":"1.3","name":"Third","criteria":["It reads well"],"files":["c.txt"]}]}`}

// Each type of conflict with each action: what is recorded of it, and what becomes
// of tasks and commits. A sample has each type, each severity, and all of security's; make
// random tries all.
func TestConflicts(t *testing.T) {
	for n, kind := range supervise.Types() {
		for severity, action := range map[string]supervise.Action{"none": supervise.Pass, "low": supervise.AutoFix, "high": supervise.RePlan, "critical": supervise.RePlan} {
			if severity == "critical" && kind != supervise.Security {
				continue
			}
			if sample := []string{"none", "low", "high"}[n%3]; !complete() && severity != sample && severity != "critical" {
				continue // each kind once, and each severity
			}
			t.Run(fmt.Sprintf("%s %s", kind, severity), func(t *testing.T) {
				t.Parallel()
				first := true
				var p *scene
				p = newScene(t, two, func(t agent.Task) any {
					switch {
					case checks(t, "1.1", workflowstate.PostTask) && first:
						first = false
						return conflict(string(kind), severity)
					case t.Role == agent.Fix:
						p.write("a.txt", "fixed\n")
					case t.Role == agent.Plan:
						return anew
					case t.Role == agent.Code && t.Chunk == 2:
						p.write("a.txt", "again\n")
						return result{"summary": "once more"}
					}
					return nil
				})
				s := p.run()
				p.completed(s)
				u := s.Supervisor
				if len(u.Interventions) != 1 || u.ConflictsDetected != 1 {
					t.Fatalf("%+v", u)
				}
				i := u.Interventions[0]
				recorded := map[string]supervise.Severity{"none": supervise.Low, "low": supervise.Low, "high": supervise.High, "critical": supervise.Critical}[severity]
				p.wants([]any{i.CheckType, i.Task, i.ConflictType, i.Severity, i.Action, i.Detail}, []any{workflowstate.PostTask, "1.1", kind, recorded, action, "the " + string(kind) + " is wrong"})
				done := s.CompletedTasks[0]
				switch action {
				case supervise.Pass:
					p.wants([]any{u.AutoFixesApplied, u.RePlansTriggered, i.Resolution, done.Iterations}, []any{0, 0, "nothing had to be done", 1})
					p.wants(p.subjects("main~2"), "feat: First (task 1.1)|feat: Second (task 1.2)")
				case supervise.AutoFix:
					fix := p.git("rev-parse", "main~1")
					p.wants([]any{u.AutoFixesApplied, u.RePlansTriggered, i.Resolution, done.Iterations}, []any{1, 0, "fixed in " + fix[:10] + ": the " + string(kind) + " is wrong", 1})
					p.wants(p.subjects("main~3"), "feat: First (task 1.1)|fix: the "+string(kind)+" is wrong|feat: Second (task 1.2)")
					p.wants(p.git("show", fix+":a.txt")+p.git("show", fix+"~:a.txt"), "fixed1.1 1")
					p.wants(done.Commit, p.git("rev-parse", "main~2"))
				case supervise.RePlan:
					p.wants([]any{u.AutoFixesApplied, u.RePlansTriggered, i.Resolution, done.Iterations}, []any{0, 1, "re-planned: 1.1, 1.2, 1.3", 2})
					p.wants(p.subjects("main~3"), "feat: First (task 1.1)|feat: Second, renamed (task 1.2)|feat: Third (task 1.3)")
					p.wants(p.git("show", "main:a.txt"), "again")
					p.wants(len(s.CompletedTasks), 3)
					asked := p.asked[len(p.roles("1.1"))-3]
					if !strings.Contains(asked.Prompt, "Do it otherwise.") || !strings.Contains(asked.Prompt, "The supervisor objects ("+string(kind)+")") {
						t.Errorf("%s: %s", asked.Role, asked.Prompt)
					}
				}
			})
		}
	}
}

// Before a task: a small conflict is fixed apart, a grave one changes the plan
// that the task is told.
func TestConflictBeforeTask(t *testing.T) {
	t.Parallel()
	var p *scene
	p = newScene(t, two, func(t agent.Task) any {
		switch {
		case checks(t, "1.1", workflowstate.PreTask):
			return result{"conflicts": []result{{"type": "pattern", "severity": "low", "resolution": "no readme"}, {"type": "pattern", "severity": "low", "resolution": "no licence"},
				{"type": "api", "severity": "high", "resolution": "otherwise"}, {"type": "api", "severity": "high", "resolution": "and otherwise"}}}
		case t.Role == agent.Fix && strings.Contains(t.Prompt, "readme"):
			p.write("README", "read\n")
		case t.Role == agent.Fix:
			p.write("LICENCE", "may\n")
		case t.Role == agent.Plan:
			return anew
		}
		return nil
	})
	s := p.run()
	p.completed(s)
	p.wants(p.subjects("main~5"), "fix: no readme|fix: no licence|feat: First (task 1.1)|feat: Second, renamed (task 1.2)|feat: third (task 1.3)")
	p.wants(s.CompletedTasks[0].FilesModified, "[a.txt]")
	p.wants([]int{s.Supervisor.ConflictsDetected, s.Supervisor.AutoFixesApplied, s.Supervisor.RePlansTriggered, len(s.Supervisor.Interventions)}, "[4 2 1 4]")
	if code := p.asked[4]; code.Role != agent.Code || !strings.Contains(code.Prompt, "Do it otherwise.") || strings.Contains(code.Prompt, "objects") {
		t.Errorf("%s: %s", code.Role, code.Prompt)
	}
}

// A fix that breaks a criterion, however it is judged, is taken back, and so is one
// whose agent had no result: it was not applied.
func TestFixesThatDoNotHold(t *testing.T) {
	for name, does := range map[string]func(p *scene, t agent.Task) any{
		"command": func(p *scene, t agent.Task) any { p.write("a.txt", ""); p.write("new.txt", "new\n"); return nil },
		"judged":  func(p *scene, t agent.Task) any { p.write("a.txt", "worse\n"); return nil },
		"crashed": func(p *scene, t agent.Task) any {
			p.write("a.txt", "half\n")
			return agent.Result{End: agent.Crashed, Why: "it fell over"}
		},
		"nothing": func(p *scene, t agent.Task) any { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p *scene
			p = newScene(t, two, func(t agent.Task) any {
				switch {
				case checks(t, "1.1", workflowstate.PostTask):
					return conflict("pattern", "low")
				case t.Role == agent.Fix:
					return does(p, t)
				case t.Role == agent.Verify && strings.Contains(p.read("a.txt"), "worse"):
					return verdicts(t, false)
				}
				return nil
			})
			s := p.run()
			p.completed(s)
			p.wants(p.subjects("main~2"), "feat: First (task 1.1)|feat: Second (task 1.2)")
			p.wants(p.read("a.txt"), "1.1 1\n")
			p.wants(p.git("status", "--porcelain"), "")
			i := s.Supervisor.Interventions[0]
			p.wants([]any{s.Supervisor.AutoFixesApplied, i.Action, i.Severity}, []any{0, supervise.Pass, supervise.Low})
			if i.Resolution == "" || strings.HasPrefix(i.Resolution, fixed) {
				t.Error(i.Resolution)
			}
		})
	}
}

// A grave and a small conflict at once: the task continues, so nothing of it is
// committed yet, and what the next iteration does is not lost.
func TestGraveAndSmall(t *testing.T) {
	t.Parallel()
	var p *scene
	p = newScene(t, two, func(t agent.Task) any {
		switch {
		case checks(t, "1.1", workflowstate.PostTask) && p.read("a.txt") != "again\n":
			return result{"conflicts": []result{{"type": "pattern", "severity": "low", "resolution": "small"}, {"type": "api", "severity": "high", "resolution": "grave"}}}
		case t.Role == agent.Code && t.Chunk == 2:
			p.wants(p.git("log", "--format=%s", "-1"), "chore: begin")
			p.write("a.txt", "again\n")
			return result{"summary": "once more"}
		}
		return nil
	})
	s := p.run()
	p.completed(s)
	p.wants(p.subjects("main~2"), "feat: First (task 1.1)|feat: Second (task 1.2)")
	p.wants(p.git("show", "main~:a.txt"), "again")
	var list []string
	for _, i := range s.Supervisor.Interventions {
		list = append(list, string(i.Action)+" "+i.Resolution)
	}
	p.wants(strings.Join(list, "|"), "pass passed to the task, which continues|re_plan the plan is unchanged (no new plan could be read); the task must resolve the conflict")
}

// Plans that cannot be read or are not sound stop nothing, and are bounded: then a
// person is asked, who can allow more.
func TestRePlansAreBounded(t *testing.T) {
	for name, plan := range map[string]any{
		"unreadable":      "I would rather not.",
		"crashed":         agent.Result{End: agent.Crashed, Text: `{"tasks":[{"task":"1.2","name":"x"}]}`},
		"unsound":         result{"approach": `{"tasks":[{"task":"1.2","depends_on":["9.9"]}]}`},
		"another command": result{"approach": `{"tasks":[{"task":"1.2","criteria":["There: ` + "`true`" + `"]}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			objects := true
			p := newScene(t, strings.Replace(two, "## Outer", "## Supervisor\n- max_re_plans: 2\n\n## Outer", 1), func(t agent.Task) any {
				switch {
				case checks(t, "1.1", workflowstate.PostTask) && objects:
					return conflict("architecture", "critical")
				case t.Role == agent.Plan:
					return plan
				}
				return nil
			})
			s := p.pauses(p.document(), workflowstate.PausedReplans)
			p.wants([]int{s.Supervisor.RePlansTriggered, s.PendingTasks.Find("1.1").Iterations, len(s.Supervisor.Interventions)}, "[2 2 2]")
			if r := s.Supervisor.Interventions[0].Resolution; !strings.HasPrefix(r, "the plan is unchanged") {
				t.Error(r)
			}
			if name != "unreadable" && !complete() {
				return // it goes on in the same way; make random has all
			}
			s = p.pauses("", workflowstate.PausedReplans)
			p.wants(s.Supervisor.RePlansTriggered, 4)
			objects = false
			s, err := p.try("")
			if err != nil {
				t.Fatal(err)
			}
			p.completed(s)
			p.wants(len(s.CompletedTasks), 2)
		})
	}
}

// A task that is stuck is looked at, and what is fixed then is a part of it.
func TestOnDemand(t *testing.T) {
	t.Parallel()
	var p *scene
	p = newScene(t, one, func(t agent.Task) any {
		switch {
		case t.Role == agent.Code && t.Chunk <= 3:
			if p.write("a.txt", ""); t.Chunk == 2 { // it changes something each time
				p.sh(t.Dir, "rm a.txt")
			}
			return result{"summary": "done"}
		case checks(t, "1.1", workflowstate.OnDemand):
			return conflict("dependency", "low")
		case t.Role == agent.Fix:
			p.write("b.txt", "needed\n")
		}
		return nil
	})
	s := p.run()
	p.completed(s)
	p.wants([]any{s.Supervisor.Interventions[0].CheckType, s.Supervisor.Interventions[0].Resolution, s.Supervisor.AutoFixesApplied}, []any{workflowstate.OnDemand, "fixed as a part of the task: " + s.Supervisor.Interventions[0].Detail, 1})
	p.wants(s.CompletedTasks[0].FilesModified, "[a.txt b.txt]")
	p.wants([]int{s.CompletedTasks[0].Iterations, s.Supervisor.ChecksPerformed}, "[4 3]")
}

// An agent that is missing, or whose service is, spends no iteration: the workflow
// waits, and it is asked again.
func TestAgentThatCannotWork(t *testing.T) {
	t.Parallel()
	fails := true
	p := newScene(t, one, func(t agent.Task) any {
		if fails && t.Role == agent.Code {
			return agent.Result{End: agent.NoLogin, Why: "nobody is logged in", Usage: agent.Usage{MicroUSD: 5}}
		}
		return nil
	})
	p.pauses(p.document(), workflowstate.PausedAgent)
	s := p.pauses("", workflowstate.PausedAgent)
	p.wants([]any{s.PendingTasks.Find("1.1").Iterations, s.SafetyBounds.MicroUSD}, []any{0, stepCost + 10})
	fails = false
	s, err := p.try("")
	if err != nil {
		t.Fatal(err)
	}
	p.completed(s)
	p.wants(p.roles("1.1"), "[supervise code code code supervise]")
	fails = true
	p.does = func(agent.Task) any { return errors.New("it cannot be started") }
	if _, err := p.try(p.document()); err == nil || !strings.Contains(err.Error(), "cannot be started") {
		t.Error(err)
	}
}
