package drive_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/adapter/forge/local"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/forge"
	"warp/internal/engine/policy/drive"
	"warp/internal/sys/gitwrite"
	"warp/internal/sys/proc"
	"warp/internal/sys/seal"
	"warp/internal/testkit/gittest"
	"warp/internal/testkit/rooms"
	"warp/internal/turnstile"
)

func TestMain(m *testing.M) {
	for _, name := range []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"} {
		if err := os.Setenv(name, os.DevNull); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// scene is a project with issues, whose agent is a function: everything else is
// real.
type scene struct {
	*testing.T
	dir, root string
	forge.Tracker
	// does is what the agent does with a task: nil means as a good one would; a
	// string is a shell script that it runs, a map its structured answer, an
	// agent.Result all that comes of it.
	does   func(t agent.Task) any
	change func(*drive.Engine) // of every engine that is made

	answer any // of the run that is under way

	mu     sync.Mutex
	asked  []agent.Task
	notes  []drive.Note
	points []string
}

// calm is what a project is like: its tests fail while there is a file named
// broken.
const calm = `git init -q -b main --template= && git config user.name t && git config user.email t@example.invalid
printf '.claude/\n*.log\n' > .gitignore
printf 'if [ -e broken ]; then echo "--- FAIL: TestBroken (0.00s)"; exit 1; fi\necho ok\n' > test.sh
echo one > code.txt && git add -A && git commit -q -m 'chore: begin'`

// newScene makes a project with an approved issue for each body.
func newScene(t *testing.T, bodies ...string) *scene {
	t.Helper()
	dir := gittest.LooseDir(t)
	s := &scene{T: t, dir: dir, root: filepath.Join(dir, "project")}
	gittest.Copy(t, s.root, calm)
	s.settings(nil)
	s.Tracker = local.New(local.Config{Store: s.store(), User: "t"})
	for i, body := range bodies {
		_, err := s.Create(t.Context(), forge.NewIssue{Title: fmt.Sprintf("Thing %d", i+1), Body: body, Labels: []string{"req", "approved"}})
		s.must(err)
	}
	return s
}

// withRemote gives a new project a bare repository to push to.
func (s *scene) withRemote() *scene {
	s.Helper()
	gittest.Copy(s, s.dir, "mkdir project; cd project; "+calm+`
git init -q --bare -b main --template= ../origin.git && mkdir ../origin.git/hooks && git remote add origin ../origin.git && git push -q -u origin main`)
	return s
}

// settings writes the project's settings: test command, level 3, and more.
func (s *scene) settings(more map[string]any) {
	s.Helper()
	w := map[string]any{"test_command": "sh test.sh", "level": 3, "checks": "off"} // agents that are actors write none
	for k, v := range more {
		w[k] = v
	}
	text, err := json.Marshal(map[string]any{"_workflow": w})
	s.must(err)
	s.write(".claude/settings.local.json", string(text))
}

func (s *scene) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *scene) sh(script string) string {
	s.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = s.root
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.Fatalf("%s: %v\n%s\n%s", script, err, out, s.log())
	}
	return strings.TrimSpace(string(out))
}

func (s *scene) write(name, text string) {
	s.Helper()
	path := filepath.Join(s.root, name)
	s.must(errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)))
}

func (s *scene) exists(name string) bool {
	_, err := os.Lstat(filepath.Join(s.root, name))
	return err == nil
}

// key is the user's, outside of the project.
func (s *scene) key() *seal.Key {
	s.Helper()
	k, err := seal.Open(func(string) string { return "" }, filepath.Join(s.dir, "state"))
	s.must(err)
	return k
}

// store is the project's, as a process with the key has it.
func (s *scene) store() *durable.Store {
	return durable.New(durable.Config{Dir: filepath.Join(s.root, ".claude"), Now: time.Now, PID: os.Getpid(), Signer: s.key()})
}

// nextPID are processes that are not there: an engine that is left behind counts
// as killed.
var nextPID atomic.Int64

// engine makes an engine as a new process would.
func (s *scene) engine(o drive.Options) *drive.Engine {
	s.Helper()
	tree, err := gitwrite.Open(s.root)
	s.must(err)
	env := turnstile.System()
	env.PID = 1<<30 + int(nextPID.Add(1))
	env.Signer = s.key()
	d := turnstile.Open(s.root, env)
	e := &drive.Engine{Options: o}
	e.Rooms = rooms.OpenIn(s, tree)
	e.Drive, e.Tracker, e.Work, e.Now, e.Host, e.PID, e.State = d, s.Tracker, tree, time.Now, "here", env.PID, filepath.Join(s.dir, "state")
	e.Redact = func(t string) string { return strings.ReplaceAll(t, "hunter2", "***") }
	e.Agents = &agent.Runner{Adapters: []agent.Adapter{actor{s}}, Store: d.Store(), Now: time.Now, Started: proc.Started, PID: env.PID, Environ: os.Environ(),
		Wait: func(ctx context.Context, _ time.Time, _ string) error { return ctx.Err() }}
	e.Tell = func(n drive.Note) { s.mu.Lock(); defer s.mu.Unlock(); s.notes = append(s.notes, n) }
	e.Passed = func(p string) { s.mu.Lock(); defer s.mu.Unlock(); s.points = append(s.points, p) }
	if s.change != nil {
		s.change(e)
	}
	return e
}

// drive runs an engine to its end, which must have the results.
func (s *scene) drive(o drive.Options, want ...evidence.Result) []evidence.Outcome {
	s.Helper()
	ends, err := s.engine(o).Run(s.Context())
	if err != nil {
		s.Fatalf("%v\n%s", err, s.log())
	}
	s.results(ends, want...)
	return ends
}

func (s *scene) results(ends []evidence.Outcome, want ...evidence.Result) {
	s.Helper()
	var have []evidence.Result
	for _, o := range ends {
		have = append(have, o.Result)
	}
	if !slices.Equal(have, want) {
		s.Fatalf("ended as %v, want %v: %+v\n%s", have, want, ends, s.log())
	}
}

// log is all that was told.
func (s *scene) log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, n := range s.notes {
		fmt.Fprintf(&b, "%s %s %s %s %s %s", n.Kind, n.Event, n.Phase, n.Role, n.Text, n.Hash)
		if n.Outcome != nil {
			fmt.Fprintf(&b, "%+v", *n.Outcome)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// says wants something in what was told.
func (s *scene) says(texts ...string) {
	s.Helper()
	log := s.log()
	for _, text := range texts {
		if !strings.Contains(log, text) {
			s.Errorf("%q was not said:\n%s", text, log)
		}
	}
}

// book is the evidence, as it is in the journal.
func (s *scene) book() *evidence.Book {
	s.Helper()
	b := &evidence.Book{}
	_, err := s.store().Events(func(r event.Row) bool { b.Take(r); return true })
	s.must(err)
	return b
}

// roles are what the agent was asked to be, in order.
func (s *scene) roles() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	for _, t := range s.asked {
		list = append(list, string(t.Role))
	}
	return strings.Join(list, " ")
}

// want compares two texts.
func (s *scene) want(what, have, want string) {
	s.Helper()
	if have != want {
		s.Errorf("%s is %q, want %q\n%s", what, have, want, s.log())
	}
}

// issue reads an issue.
func (s *scene) issue(n int) forge.Issue {
	s.Helper()
	i, err := s.Get(s.Context(), n)
	s.must(err)
	return i
}

// told wants one comment on an issue that says what was reported.
func (s *scene) told(number int, parts ...string) {
	s.Helper()
	var found []string
	for _, c := range s.issue(number).Comments {
		if strings.Contains(c.Body, fmt.Sprintf("<!-- warp-drive record #%d -->", number)) {
			found = append(found, c.Body)
		}
	}
	if len(found) != 1 {
		s.Errorf("#%d has %d comments with reports: %q", number, len(found), found)
		return
	}
	for _, part := range parts {
		if !strings.Contains(found[0], part) {
			s.Errorf("%q is not reported on #%d:\n%s", part, number, found[0])
		}
	}
}

// filed wants as many issues with a label, each with a part of its title.
func (s *scene) filed(label string, parts ...string) {
	s.Helper()
	list, err := s.List(s.Context(), forge.Query{Labels: []string{label}, Closed: true})
	s.must(err)
	for _, part := range parts {
		if !slices.ContainsFunc(list, func(i forge.Issue) bool { return strings.Contains(i.Title, part) }) {
			s.Errorf("no issue labelled %s is about %q", label, part)
		}
	}
	if len(list) != len(parts) {
		s.Errorf("%d issues are labelled %s, want %d: %+v", len(list), label, len(parts), list)
	}
}
