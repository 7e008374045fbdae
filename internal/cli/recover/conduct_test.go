package recover_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/conduct"
)

// worker conducts a drive on a machine, as one of a fleet does.
type worker struct {
	*world
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	err    strings.Builder
	asked  []conduct.Say
	end    *conduct.Outcome
	before seen
}

// seen is what the world looks like from outside.
type seen struct{ tracker, refs string }

// conduct starts a drive that waits to be conducted.
func (w *world) conduct(flags string, env ...string) *worker {
	w.t.Helper()
	c := &worker{world: w, cmd: exec.Command("sh", "-c", "exec warp drive 1 --conducted "+flags)}
	c.cmd.Dir, c.cmd.Env, c.cmd.Stderr = w.at, append(w.env[:len(w.env):len(w.env)], env...), &c.err
	var out io.Reader
	var err error
	if c.in, err = c.cmd.StdinPipe(); err == nil {
		out, err = c.cmd.StdoutPipe()
	}
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = c.cmd.Process.Kill() })
	c.out, c.before = bufio.NewScanner(out), w.see()
	c.out.Buffer(nil, 1<<20)
	return c
}

func (w *world) see() (s seen) {
	w.hub.Lock()
	for _, i := range w.hub.Items {
		s.tracker += fmt.Sprintf("%d %s %s %v %v %v %+v\n", i.Number, i.Title, i.Body, i.Open, i.Labels, i.Comments, i.Pull)
	}
	s.tracker += fmt.Sprint(w.hub.Labels)
	w.hub.Unlock()
	s.refs = w.readRefs()
	return s
}

// readRefs reads what the remote has without git, as it is asked after every question.
func (w *world) readRefs() string {
	w.t.Helper()
	bare := filepath.Join(w.dir, "octo", "widgets.git")
	packed, err := os.ReadFile(filepath.Join(bare, "packed-refs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.t.Fatal(err)
	}
	refs := string(packed)
	err = filepath.WalkDir(filepath.Join(bare, "refs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		refs += path + " " + string(text)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return refs
}

// hear is the next question; false: the drive has nothing more to ask. What has changed in
// the tracker and on the remote since the last one, that one was for.
func (c *worker) hear() (s conduct.Say, more bool) {
	c.t.Helper()
	for c.out.Scan() {
		s = conduct.Say{}
		if err := json.Unmarshal(c.out.Bytes(), &s); err != nil {
			c.t.Fatalf("%v: %s", err, c.out.Text())
		}
		if s.Kind == conduct.Live {
			continue
		}
		now, last := c.see(), conduct.Say{}
		if n := len(c.asked); n > 0 {
			last = c.asked[n-1]
		}
		if now.tracker != c.before.tracker && last.Kind != conduct.File {
			c.t.Errorf("the tracker was changed after %+v:\n%s", last, cmp.Diff(c.before.tracker, now.tracker))
		}
		if now.refs != c.before.refs && last.Kind != conduct.Push {
			c.t.Errorf("something was pushed after %+v:\n%s", last, cmp.Diff(c.before.refs, now.refs))
		}
		c.before = now
		if s.Kind == conduct.End {
			c.end = s.Outcome
			return s, false
		}
		c.asked = append(c.asked, s)
		return s, true
	}
	return s, false
}

func (c *worker) reply(r conduct.Reply) {
	c.t.Helper()
	line, err := json.Marshal(r)
	if err == nil {
		_, err = c.in.Write(append(line, '\n'))
	}
	if err != nil {
		c.t.Fatalf("%v\n%s", err, &c.err)
	}
}

// wait waits for the end of the process; the exit code is -1 when it was killed.
func (c *worker) wait() int {
	_ = c.cmd.Wait() // the code says it
	return c.cmd.ProcessState.ExitCode()
}

// lead lets a drive go to its end, as far as it may.
func (c *worker) lead(may func(conduct.Say) conduct.Reply) (exit int) {
	c.t.Helper()
	for s, more := c.hear(); more; s, more = c.hear() {
		r := may(s)
		r.Serial = s.Serial
		c.reply(r)
	}
	_ = c.in.Close()
	return c.wait()
}

func letGo(conduct.Say) conduct.Reply { return conduct.Reply{Go: true} }

// finish has a drive conducted to its end, which is as good as if no one had disturbed it.
func (w *world) finish(want, flags string) *worker {
	w.t.Helper()
	c := w.conduct(flags)
	exit := c.lead(letGo)
	if c.end == nil || exit != 0 {
		w.t.Fatalf("exit %d, %+v\n%s", exit, c.end, &c.err)
	}
	if diff := cmp.Diff(want, w.account()); diff != "" {
		w.t.Errorf("%s\n%s", diff, &c.err)
	}
	return c
}

// phases are those that were asked for, without repetitions.
func (c *worker) phases() string {
	var list []string
	for _, s := range c.asked {
		name := s.Phase
		if s.Agent {
			name += "*"
		}
		if s.Kind == conduct.Phase {
			list = append(list, name)
		}
	}
	return strings.Join(slices.Compact(list), " ")
}
