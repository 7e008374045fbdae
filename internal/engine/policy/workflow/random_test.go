package workflow

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"warp/internal/core/taskdoc"
	"warp/internal/core/workflowstate"
	"warp/internal/engine/agent"
	"warp/internal/engine/place"
	"warp/internal/testkit/need"
	"warp/internal/turnstile/documents"
)

// Whatever the document, however agents break what others have done, edit the document
// and the state, crash, and however often the engine is killed or a person edits the
// document: what is completed passes all its criteria on the merged tree. A sample;
// make random runs all, with documents of up to 60 tasks.
func TestRandomWorkflows(t *testing.T) {
	seeds, most := 2, 10
	if complete() {
		seeds, most = 60, 60
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			r := newRandom(t, uint64(seed), most)
			r.finish()
			r.check()
		})
	}
}

// complete tells whether everything is to be tried, not a sample.
func complete() bool { return need.Whole() }

// random is a workflow in which chance decides what agents and people do.
type random struct {
	*scene
	chance *rand.Rand
	mu     sync.Mutex // of chance
	tasks  []randomTask
	kills  int // that are left
	edits  int // of the document by a person, likewise
}

type randomTask struct {
	id, file, token string
	phase           int
	after           []string
}

func newRandom(t *testing.T, seed uint64, most int) *random {
	r := &random{chance: rand.New(rand.NewPCG(seed, 17)), kills: 4, edits: 2}
	n := 1 + r.chance.IntN(most)
	phases := 1 + r.chance.IntN(min(4, n))
	for i := range n {
		task := randomTask{phase: i * phases / n, token: fmt.Sprint("token-", i)}
		number := 1
		for _, o := range r.tasks {
			if o.phase == task.phase {
				number++
				if r.chance.IntN(4) == 0 {
					task.after = append(task.after, o.id)
				}
			}
		}
		task.id, task.file = fmt.Sprintf("%d.%d", task.phase+1, number), fmt.Sprintf("d%d/f%d.txt", r.chance.IntN(4), i)
		r.tasks = append(r.tasks, task)
	}
	r.scene = newScene(t, r.text(), r.act)
	r.options.InPlace = r.chance.IntN(4) == 0
	if !r.options.InPlace && r.chance.IntN(2) == 0 {
		r.options.Parallel = 2 // what is killed then takes the others along, which a panic cannot
		r.kills = 0
	}
	r.passed = r.kill
	return r
}

// text is the document as it is now.
func (r *random) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Random\n\n## Supervisor\n- enabled: no\n\n## Outer loop\n- enabled: no\n")
	phase := -1
	for _, t := range r.tasks {
		if t.phase != phase {
			phase = t.phase
			fmt.Fprintf(&b, "\n### Phase %d: P%d\n", phase+1, phase)
		}
		fmt.Fprintf(&b, "\n#### Task %s: Write %s\n", t.id, t.token)
		if len(t.after) > 0 {
			fmt.Fprintf(&b, "Depends on: %s\n", strings.Join(t.after, ", "))
		}
		fmt.Fprintf(&b, "Files: %s\n- [ ] It says so: `grep -qx %s %s`\n", t.file, t.token, t.file)
	}
	return b.String()
}

func (r *random) draw(n int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.chance.IntN(n)
}

// act is what an agent does.
func (r *random) act(a agent.Task) any {
	if a.Role != agent.Code {
		return nil
	}
	own := r.tasks[0]
	for _, t := range r.tasks {
		if t.id == a.Issue {
			own = t
		}
	}
	other := r.tasks[r.draw(len(r.tasks))]
	say := func(err error) any {
		if err != nil {
			return err
		}
		return result{"summary": "done"}
	}
	write := func(t randomTask, text string) error { return put(filepath.Join(a.Dir, t.file), text) }
	switch r.draw(12) {
	case 0: // it lies
		return say(nil)
	case 1: // it breaks what another has done
		return say(errors.Join(write(other, "broken\n"), write(own, own.token+"\n")))
	case 2:
		_ = os.Remove(filepath.Join(a.Dir, other.file)) // where it is
		return say(write(own, own.token+"\n"))
	case 3: // it edits the document, so that less is asked
		text := strings.ReplaceAll(r.text(), "grep -qx", "true")
		return say(errors.Join(put(filepath.Join(r.root, ".claude/task.md"), text), put(filepath.Join(a.Dir, ".claude/task.md"), text)))
	case 4: // and the state
		file := filepath.Join(r.root, ".claude", workflowstate.File)
		text, err := os.ReadFile(file)
		return say(errors.Join(err, os.WriteFile(file, []byte(strings.ReplaceAll(string(text), "grep -qx", "true")), 0o644)))
	case 5: // it commits by itself, and resets
		out, err := exec.Command("sh", "-c", "cd "+a.Dir+" && git add -A && git commit -q --allow-empty -m mine; git reset -q --hard HEAD~1 2>/dev/null; true").CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		return say(errors.Join(err, write(own, own.token+"\n")))
	case 6: // it crashes in the middle
		return errors.Join(write(own, "half\n"), errors.New("stopped"))
	}
	return say(write(own, own.token+"\n"))
}

func (r *random) kill(point string) {
	// The time is written beside the run, where a panic would end the test instead.
	if point != "elapsed" && r.kills > 0 && r.draw(40) == 0 {
		r.kills--
		panic(errKilled)
	}
}

// isPlanned tells whether the workflow is planned by the document as the person has it.
func (r *random) isPlanned() bool {
	v, err := documents.OpenWorkflow(r.store()).Read()
	if err != nil || v.Doc.Text == "" {
		return false
	}
	return r.git("cat-file", "blob", v.Doc.Text) == strings.TrimSpace(r.text())
}

// edit is a person who changes what a task has to write.
func (r *random) edit() {
	r.edits--
	r.tasks[r.draw(len(r.tasks))].token += "-anew"
}

// finish takes the workflow to its end, as a patient person does: who wants another plan
// writes it down and says so, who does not says resume.
func (r *random) finish() {
	r.options.Replan = true
	for n := range 60 + 6*len(r.tasks) {
		var s *workflowstate.State
		var err error
		if n > 0 && r.edits > 0 && r.draw(5) == 0 {
			r.edit()
		}
		path := ""
		if !r.isPlanned() {
			path = r.document()
			r.write(".claude/task.md", r.text())
		}
		if killed(func() { s, err = r.try(path) }) {
			continue
		}
		var paused *PausedError
		switch {
		case err == nil:
			r.completed(s)
			return
		case errors.As(err, &paused) && paused.Pause.Reason == workflowstate.PausedIterations:
			r.extend(workflowstate.Limits{Iterations: 10})
		case errors.As(err, &paused) && paused.Pause.Reason == workflowstate.PausedTime:
			r.change(func(s *workflowstate.State) {
				s.Extend(fmt.Sprint("time ", r.now()), workflowstate.Limits{Time: 10 * workflowstate.DefaultLimits.Time})
			})
		case errors.As(err, &paused) && paused.Pause.Reason == workflowstate.PausedCost:
			r.change(func(s *workflowstate.State) {
				s.Extend(fmt.Sprint("cost ", r.now()), workflowstate.Limits{MicroUSD: 100e6})
			})
		case errors.As(err, &paused) && strings.Contains(paused.Pause.Why, "would fail"):
			r.repair(s)
		}
	}
	r.Fatalf("it never ends\n%s", strings.Join(r.said[max(0, len(r.said)-60):], "\n"))
}

// repair is a person who does what the pause asks for: fix it on the branch.
func (r *random) repair(s *workflowstate.State) {
	dir := r.root
	if s.Place != "" {
		dir = place.Path(r.root, s.Place)
	}
	for _, t := range r.tasks {
		if err := put(filepath.Join(dir, t.file), t.token+"\n"); err != nil {
			r.Fatal(err)
		}
	}
	r.git("-C", dir, "add", "-A")
	r.git("-C", dir, "commit", "-q", "-m", "fix: by a person")
}

// check holds what is on main against the document.
func (r *random) check() {
	v, err := documents.OpenWorkflow(r.store()).Read()
	if err != nil {
		r.Fatal(err)
	}
	want, defects := taskdoc.Parse([]byte(r.text()))
	if len(defects) > 0 {
		r.Fatal(defects)
	}
	out := r.root + "-main"
	defer os.RemoveAll(out)
	r.git("worktree", "add", "-q", "--detach", out, "main")
	defer r.git("worktree", "remove", "--force", out)
	for _, t := range want.Tasks() {
		if !v.Doc.CompletedTasks.Has(t.ID) {
			r.Errorf("task %s is not done", t.ID)
		}
		for _, c := range t.Criteria {
			cmd := exec.Command("sh", "-c", c.Run)
			cmd.Dir = out
			if said, err := cmd.CombinedOutput(); err != nil {
				r.Errorf("task %s: %s: %v %s", t.ID, c.Run, err, said)
			}
		}
	}
	if r.Failed() {
		r.Log(strings.Join(r.said, "\n"))
	}
}
