//go:build unix

package agent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"warp/internal/durable"
	"warp/internal/engine/agent"
)

// old makes the folder of a run that began so long ago.
func (p *place) old(t *testing.T, ago time.Duration) string {
	t.Helper()
	id := strconv.FormatInt(p.now.Add(-ago).UnixNano(), 36) + "-abcdef-a"
	if err := os.MkdirAll(filepath.Join(p.Store.Dir(), "state", "runs", id), 0o700); err != nil {
		t.Fatal(err)
	}
	return id
}

// kept are the names in the folder of runs.
func (p *place) kept(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(p.Store.Dir(), "state", "runs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestOldRunsAreTakenAway(t *testing.T) {
	p := newPlace(t, teller{"a", "echo fine"})
	const day = 24 * time.Hour
	ancient, running := p.old(t, 30*day), p.old(t, 29*day)
	foreign := filepath.Join(p.Store.Dir(), "state", "runs", "notes-of-mine")
	if err := os.Mkdir(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	onRecord(t, p.Store, agent.Left{ID: running, Host: "elsewhere"})
	// Some are kept however old they are, for someone who was away.
	var last []string
	for i := range 25 {
		last = append(last, p.old(t, 20*day-time.Duration(i)*time.Minute))
	}
	p.run(t, p.task())
	if got := p.kept(t); slices.Contains(got, ancient) || slices.Contains(got, last[4]) || !slices.Contains(got, last[5]) {
		t.Fatalf("kept %q", got)
	}
	var recent []string
	for i := range 250 {
		recent = append(recent, p.old(t, 3*day+time.Duration(250-i)*time.Minute))
	}
	p.run(t, p.task())
	got := p.kept(t)
	if slices.Contains(got, last[5]) || !slices.Contains(got, running) || !slices.Contains(got, "notes-of-mine") {
		t.Errorf("kept %q", got)
	}
	if slices.Contains(got, recent[0]) || !slices.Contains(got, recent[100]) || !slices.Contains(got, recent[249]) {
		t.Error("it is not the newest that were kept")
	}
	if n := len(got); n < 200 || n > 205 {
		t.Errorf("%d are kept", n)
	}
}

// However many there are, a start does not take long.
func TestOneStartTakesSomeAway(t *testing.T) {
	p := newPlace(t, teller{"a", "echo fine"})
	for i := range 400 {
		p.old(t, 72*time.Hour+time.Duration(i)*time.Minute)
	}
	p.run(t, p.task())
	if n := len(p.kept(t)); n != 400-100+2 { // and the run, and .gitignore
		t.Errorf("%d are kept", n)
	}
}

// All issues of a night share one folder: its later runs do not remove the earlier ones.
func TestRunsOfOneNightAreAllKept(t *testing.T) {
	p := newPlace(t, teller{"a", "echo fine"})
	for i := range 250 {
		p.old(t, 30*time.Hour+time.Duration(i)*time.Minute)
	}
	p.run(t, p.task())
	if n := len(p.kept(t)); n != 250+2 { // and the run, and .gitignore
		t.Errorf("%d are kept", n)
	}
}

func TestWhatAgentsPrintIsNotCommitted(t *testing.T) {
	p := newPlace(t)
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-C", p.dir}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	git("init", "-q")
	p.Runner = newRunner(filepath.Join(p.dir, ".claude"), teller{"a", "echo fine"})
	p.run(t, p.task())
	git("add", "-A")
	if list := git("ls-files"); strings.Contains(list, "runs") {
		t.Errorf("added:\n%s", list)
	}
	if len(p.kept(t)) != 2 {
		t.Errorf("kept %q", p.kept(t))
	}
}

func TestTheOutputOnDiskIsBounded(t *testing.T) {
	p := newPlace(t, teller{"a", `awk 'BEGIN { for (i = 0; i < 50; i++) { printf "%d ", i; for (j = 0; j < 100000; j++) printf "0123456789"; print "" } }'; echo the end; echo sorry >&2`})
	r := p.run(t, p.task())
	size := int64(0)
	for _, name := range []string{r.Log, r.Log + ".old"} {
		st, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		size += st.Size()
	}
	text, err := os.ReadFile(r.Log)
	if err != nil || size > 33<<20 || size < 16<<20 || !strings.HasSuffix(string(text), "\nthe end\n[stderr, the last 6 of 6 bytes]\nsorry\n\n") {
		t.Errorf("%v, %d bytes, ends with %q", err, size, text[max(0, len(text)-80):])
	}
}

func TestALineThatIsTooLongIsTold(t *testing.T) {
	script := `echo before; head -c 17000000 /dev/zero | tr '\0' x; echo; echo after`
	for _, c := range []struct{ script, why string }{
		{script, "skipped 1 line of its output longer than 16 MB"},
		{script + "; echo no >&2; exit 3", "no; skipped 1 line of its output longer than 16 MB"},
	} {
		p := newPlace(t, teller{"a", c.script})
		var notes []string
		p.Watch = func(_ string, e agent.Event) {
			if e.Kind == "note" {
				notes = append(notes, e.Text)
			}
		}
		r := p.run(t, p.task())
		text, _ := os.ReadFile(r.Log)
		if r.Text != "after" || r.Why != c.why || len(notes) != 1 || !strings.Contains(string(text), "before\nafter\n[1 lines were too long to be kept]\n") {
			t.Errorf("%q, why %q, notes %q, log %.200q", r.Text, r.Why, notes, text)
		}
	}
}

// An agent that has given its result is not waited for.
func TestAnAgentThatLingersIsEnded(t *testing.T) {
	for name, script := range map[string]string{
		"with a file":   `echo '{"summary":"done"}' > $WARP_RESULT; echo words; exec sleep 1000`,
		"with an event": `echo '{"summary":"done"}'; echo spent 5; exec sleep 1000`,
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, teller{"a", script})
			task := p.task()
			task.Linger, task.Timeout = time.Millisecond, time.Hour
			r := p.run(t, task)
			if r.End != agent.Done || r.JSON == nil || r.JSON.Get("summary").Text() != "done" {
				t.Errorf("%+v", r)
			}
		})
	}
}

// Records of machines that nobody comes back to do not stay for ever.
func TestRecordsOfOtherMachinesGrowOld(t *testing.T) {
	p := newPlace(t)
	for i, days := range []int{1, 6, 8} {
		at := p.now.AddDate(0, 0, -days).Format(time.RFC3339)
		onRecord(t, p.Store, agent.Left{ID: fmt.Sprint(i), Host: "elsewhere", Started: at})
	}
	if left, err := p.EndLeftBehind(); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
	list, err := agent.Running(p.Store)
	if err != nil || len(list) != 2 || list[0].ID != "0" || list[1].ID != "1" {
		t.Errorf("%v, %+v", err, list)
	}
}

// onRecord writes records as a runner does.
func onRecord(t *testing.T, store *durable.Store, list ...agent.Left) {
	t.Helper()
	dir := filepath.Join(store.Dir(), filepath.FromSlash(agent.RunningFolder))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, l := range list {
		text, err := json.Marshal(l)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, l.ID+".json"), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
