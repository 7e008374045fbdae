package workflow

import (
	"errors"
	"strings"
	"testing"

	"warp/internal/core/learning"
	"warp/internal/core/workflowstate"
	"warp/internal/engine/agent"
	"warp/internal/testkit/need"
)

// unreadable are answers that no one can act upon.
var unreadable = []struct {
	name   string
	answer any
}{
	{"prose", "All is well."},
	{"member", result{"summary": "fine"}},
	{"crashed", crashed},
}

var crashed = agent.Result{Agent: "fake", End: agent.Crashed, Why: "it fell over"}

// An answer that cannot be read is asked for once more, with a word about it. The sample of
// make test has each role and each answer.
func TestUnreadableAnswersAreAskedForAgain(t *testing.T) {
	for i, role := range []agent.Role{agent.Supervise, agent.Verify, agent.Plan, agent.Scan} {
		for n, u := range unreadable {
			if n != i%len(unreadable) && !complete() || role == agent.Plan && u.name == "member" { // a plan may be empty
				continue
			}
			t.Run(string(role)+" "+u.name, func(t *testing.T) {
				t.Parallel()
				asked := map[string]int{}
				first := true
				doc := strings.Replace(two, "enabled: no", "max_iterations: 1", 1)
				p := newScene(t, doc, func(t agent.Task) any {
					if t.Role == role && (role != agent.Supervise || checks(t, "1.1", workflowstate.PostTask)) {
						if asked[string(t.Role)]++; asked[string(t.Role)] == 1 {
							return u.answer
						}
					}
					switch {
					case role == agent.Plan && checks(t, "1.1", workflowstate.PreTask) && first:
						first = false
						return conflict("api", "high")
					case t.Role == agent.Plan:
						return anew
					}
					return nil
				})
				s := p.run()
				p.completed(s)
				p.wants(s.CompletedTasks[0].Iterations, 1)
				again := 0
				for _, a := range p.asked {
					if strings.Contains(a.Prompt, "could not be used") {
						again++
						p.wants(a.Role, role)
					}
				}
				p.wants(again, 1)
				if role == agent.Plan {
					p.wants(s.Supervisor.Interventions[0].Resolution, "re-planned: 1.1, 1.2, 1.3")
				} else {
					p.wants(len(s.Supervisor.Interventions), 0)
				}
			})
		}
	}
}

// A supervisor that cannot be read has said nothing about the work: a person looks, and it is asked
// anew. Nothing is learned from it, and no conflict is counted.
func TestUnreadableSupervisor(t *testing.T) {
	for _, u := range unreadable {
		t.Run(u.name, func(t *testing.T) {
			t.Parallel()
			p := newScene(t, one, func(t agent.Task) any {
				if checks(t, "1.1", workflowstate.PostTask) {
					return u.answer
				}
				return nil
			})
			for _, document := range []string{p.document(), ""} {
				s := p.pauses(document, workflowstate.PausedAgent)
				p.wants([]any{len(s.Supervisor.Interventions), s.Supervisor.ConflictsDetected}, []any{0, 0})
				if why := s.Paused.Why; !strings.Contains(why, "fake gave no answer that can be used (supervise), although it was asked again") {
					t.Error(why)
				}
			}
			p.wants(p.roles("1.1"), "[supervise code supervise supervise supervise supervise]")
			p.does = nil
			s, err := p.try("")
			if err != nil {
				t.Fatal(err)
			}
			p.completed(s)
			p.wants(s.CompletedTasks[0].Iterations, 1)
			for _, l := range s.Learnings {
				p.wants(l.Type == learning.Antipattern, false)
			}
		})
	}
}

// A verifier that cannot be read has confirmed nothing, and taught nothing: a person looks.
func TestUnreadableVerifier(t *testing.T) {
	t.Parallel()
	p := newScene(t, strings.Replace(one, "`test -s a.txt`", "it is", 1)+"- Max iterations: 1\n", func(t agent.Task) any {
		if t.Role == agent.Verify {
			return "All is well."
		}
		return nil
	})
	s := p.pauses(p.document(), workflowstate.PausedAgent)
	p.wants(p.roles("1.1"), "[supervise code verify verify]")
	p.wants(len(s.Learnings), 0)
	p.does = nil
	s, err := p.try("")
	if err != nil {
		t.Fatal(err)
	}
	p.completed(s)
	p.wants(s.CompletedTasks[0].Iterations, 1)
}

// A verifier that writes other ids, or leaves one out, is asked for what is missing, and only for that.
func TestASlipOfTheVerifierIsNotTheWorks(t *testing.T) {
	t.Parallel()
	asked := 0
	p := newScene(t, strings.Replace(one, "There: `test -s a.txt`", "It is there and not empty\n- [ ] It reads well", 1), nil)
	p.does = func(t agent.Task) any {
		if t.Role != agent.Verify {
			return nil
		}
		if asked++; asked == 1 {
			return result{"criteria": []any{result{"id": "c1: It is there", "met": true, "reason": "seen"}}}
		}
		p.wants(t.Criteria, []string{"C2"})
		return result{"criteria": []any{result{"id": "2", "met": true, "reason": "seen, too"}}}
	}
	s := p.run()
	p.completed(s)
	p.wants(asked, 2)
	p.wants(s.CompletedTasks[0].Iterations, 1)
}

// An agent that asks a person is heard: in its result, and in the words with which it ends without
// having done anything.
func TestAnAgentThatAsksIsHeard(t *testing.T) {
	for name, says := range map[string]any{
		"decision": result{"decision": result{"question": "Which one?", "options": []string{"a", "b"}}},
		"words":    "Before I begin: which one do you want?",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newScene(t, one, func(t agent.Task) any {
				if t.Role == agent.Code {
					return says
				}
				return nil
			})
			s := p.pauses(p.document(), workflowstate.PausedPerson)
			if why := strings.ToLower(s.Paused.Why); !strings.Contains(why, "which one") || !strings.Contains(why, "--replan") {
				t.Error(s.Paused.Why)
			}
			p.wants(len(s.Learnings), 0)
			p.does = nil
			s, err := p.try("")
			if err != nil {
				t.Fatal(err)
			}
			p.completed(s)
			p.wants(s.CompletedTasks[0].Iterations, 1)
		})
	}
}

// A run that died has taught nothing about the work.
func TestACrashIsNoAntipattern(t *testing.T) {
	for _, end := range need.Sample([]agent.End{agent.Crashed, agent.Refused}, agent.Idle, agent.OverLimit, agent.MaxTurns, agent.Unusable) {
		t.Run(string(end), func(t *testing.T) {
			t.Parallel()
			died := false
			p := newScene(t, one, nil)
			p.does = func(t agent.Task) any {
				if t.Role == agent.Code && !died {
					died = true
					return agent.Result{Agent: "fake", End: end, Why: "connection reset"}
				}
				return nil
			}
			s := p.run()
			p.completed(s)
			p.wants(s.CompletedTasks[0].Iterations, 2)
			for _, l := range s.Learnings {
				p.wants([]any{l.Type, l.Lesson}, []any{learning.Pattern, "lesson of 1.1, 2"})
			}
			if file := p.read(".claude/learnings.jsonl"); strings.Contains(file, "connection reset") {
				t.Error(file)
			}
			if !strings.Contains(p.prompt("1.1", 2), "connection reset") {
				t.Error("the next iteration does not know what became of the last")
			}
		})
	}
	for _, end := range need.Sample([]agent.End{agent.APIError}, agent.Limited, agent.NoLogin) {
		t.Run(string(end), func(t *testing.T) {
			t.Parallel()
			p := newScene(t, one, func(t agent.Task) any {
				if t.Role == agent.Code {
					return agent.Result{Agent: "fake", End: end, Why: "connection reset"}
				}
				return nil
			})
			p.pauses(p.document(), workflowstate.PausedAgent)
			p.does = nil
			s, err := p.try("")
			if err != nil {
				t.Fatal(err)
			}
			p.completed(s)
			p.wants(s.CompletedTasks[0].Iterations, 1)
			p.wants(len(s.Learnings), 1)
		})
	}
	t.Run("a criterion that fails", func(t *testing.T) { // is one
		t.Parallel()
		p := newScene(t, one, nil)
		p.does = func(t agent.Task) any {
			if t.Role == agent.Code && t.Chunk == 1 {
				p.write("a.txt", "")
				return result{"summary": "an empty one"}
			}
			return nil
		}
		s := p.run()
		p.completed(s)
		p.wants(s.Learnings[0].Type, learning.Antipattern)
	})
	t.Run("the engine is killed", func(t *testing.T) {
		t.Parallel()
		p := newScene(t, one, nil)
		died := false
		p.does = func(t agent.Task) any {
			if t.Role == agent.Code && !died {
				died = true
				return errors.New("killed")
			}
			return nil
		}
		if _, err := p.try(p.document()); err == nil {
			t.Fatal("it was to die")
		}
		s, err := p.try("")
		if err != nil {
			t.Fatal(err)
		}
		p.completed(s)
		p.wants(len(s.Learnings), 1)
	})
}

// What an agent has learned is taken as it says it, in the state and in the file.
func TestLearningsAsGiven(t *testing.T) {
	t.Parallel()
	p := newScene(t, one, nil)
	p.does = func(t agent.Task) any {
		if t.Role != agent.Code {
			return nil
		}
		p.write("a.txt", "a\n")
		return result{"summary": "done", "learnings": []any{"plain words",
			result{"type": "antipattern", "lesson": "Hardcoding failed", "pattern": "Use the environment", "context": "JWT secrets"},
			result{"type": "epiphany", "lesson": "Odd"}}}
	}
	s := p.run()
	p.completed(s)
	var got []string
	for _, l := range s.Learnings {
		got = append(got, strings.Join([]string{l.Task, l.Type, l.Lesson, l.Pattern, l.Context}, "|"))
	}
	p.wants(strings.Join(got, "\n"), "1.1|pattern|plain words|plain words|First\n1.1|antipattern|Hardcoding failed|Use the environment|JWT secrets\n1.1|insight|Odd|Odd|First")
	if file := p.read(".claude/learnings.jsonl"); !strings.Contains(file, `"type":"antipattern","lesson":"Hardcoding failed","pattern":"Use the environment","context":"JWT secrets"`) {
		t.Error(file)
	}
	if prompt := p.prompt("1.1", 1); !strings.Contains(prompt, `"lessons": [{"type": "`) {
		t.Error(prompt)
	}
}

// prompt is what the agent of an iteration was told.
func (p *scene) prompt(task string, round int) string {
	for _, t := range p.asked {
		if t.Issue == task && t.Chunk == round && t.Role == agent.Code {
			return t.Prompt
		}
	}
	return ""
}
