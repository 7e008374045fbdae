//go:build linux

package trial

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/testkit/programs"
)

// patience is when a cell that has not ended is ended: far above its bound, also
// on a machine that is busy. A drive's shortest bound is a minute.
func (c *cell) patience() time.Duration {
	if c.deed.time != "" && c.name != "drive" {
		return 45 * time.Second
	}
	return 2 * time.Minute
}

// TestMatrix has every misdeed done in every way to run an agent: nothing of the
// person's is lost, committed or pushed; nothing is said to be done that is not;
// it ends within its bound, with an exit code that is true; nothing is left
// running; and it was said what happened. WARP_MATRIX tries all cells, and prints
// them as a table; without, a sample.
func TestMatrix(t *testing.T) {
	var mu sync.Mutex
	table := map[string]string{}
	if whole() {
		t.Cleanup(func() { t.Log("\n" + tableOf(table)) })
	}
	for _, d := range deeds {
		if d.sample != "" && !slices.ContainsFunc(ways, func(w way) bool { return w.name == d.sample }) {
			t.Errorf("%s: there is no way %q", d.name, d.sample)
		}
		for _, w := range ways {
			if !whole() && d.sample != w.name {
				continue
			}
			t.Run(d.name+"/"+w.name, func(t *testing.T) {
				t.Parallel()
				c := &cell{project: newOccupied(t), way: w, deed: d}
				v := c.play()
				for _, wrong := range v.all() {
					t.Error(wrong)
				}
				if t.Failed() {
					t.Logf("exit %d\n%s", c.exit, c.said)
				}
				mu.Lock()
				defer mu.Unlock()
				table[d.name+"/"+w.name] = v.short()
			})
		}
	}
}

// whole tells that all cells are tried, and each agent with each misdeed.
func whole() bool { return os.Getenv("WARP_MATRIX") != "" }

// sample is what make test tries of a table: the named rows, so that each kind is seen
// once. make trial tries them all.
func sample[T any](t *testing.T, table map[string]T, names ...string) map[string]T {
	t.Helper()
	few := map[string]T{}
	for _, name := range names {
		row, ok := table[name]
		if !ok {
			t.Errorf("the table has no row %q", name)
		}
		few[name] = row
	}
	if whole() {
		return table
	}
	return few
}

// many is how many files an agent makes who makes too many.
func many() string {
	if whole() {
		return "10000"
	}
	return "1000"
}

// tableOf is the table, a row for each misdeed.
func tableOf(table map[string]string) string {
	var b strings.Builder
	ok := 0
	for _, d := range deeds {
		b.WriteString("row | " + d.name + " |")
		for _, w := range ways {
			result, tried := table[d.name+"/"+w.name]
			switch {
			case !tried:
				result = "–" // another run was asked for
			case result == "ok":
				ok++
			}
			fmt.Fprintf(&b, " %s |", result)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "sum %d of %d cells hold\n", ok, len(table))
	return b.String()
}

// play runs a cell to its end, and judges it.
func (c *cell) play() verdict {
	c.t.Helper()
	agent := "demo"
	if c.deed.demo == "" {
		agent = "command"
		c.write("../agent.sh", c.deed.does.String())
		c.sh(`warp config set agent command && warp config set agent_command '["sh", "` + filepath.Join(filepath.Dir(c.root), "agent.sh") + `"]'`)
	}
	if c.deed.time != "" { // a drive has these for it
		c.sh("warp config set max_session_minutes 1")
	}
	if c.deed.idle > 0 {
		c.sh("warp config set max_idle_seconds " + strconv.Itoa(c.deed.idle))
	}
	c.sh(c.prepare + "\n:")
	c.base = c.sh("git rev-parse main | tee ../base")
	b := bounds{time: "90s", cost: c.deed.cost}
	if c.deed.time != "" {
		b.time = c.deed.time
	}
	argv := c.args(c.project, agent, b)
	c.allowed = c.deed.allows(c.way)
	c.before = c.record()
	if c.deed.demo != "" && c.deed.demo != "none" {
		c.env = []string{"WARP_DEMO=" + c.deed.demo}
	}
	c.run(argv)
	c.env = nil
	c.said += "\n" + c.tell("timeout 20 sh -c '"+c.account+"'")
	v := c.result()
	c.endAll()
	return v
}

// run runs warp until it ends, or patience does. What it says goes to a file: a
// pipe would wait for processes that it left.
func (c *cell) run(argv []string) {
	log, err := os.Create(filepath.Join(c.root, "..", "output.log"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer log.Close()
	cmd := c.command(append([]string{filepath.Join(bin, "warp")}, argv...)...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.patience())
	defer cancel()
	stop := context.AfterFunc(ctx, func() { c.late = true; c.endAll() })
	_ = cmd.Wait() // how it ended is in its state
	stop()
	c.exit, c.said = cmd.ProcessState.ExitCode(), c.read("../output.log")
}

// processes are those that have the cell's mark in their environment, and those in a
// clean room, where nothing has it.
func (p *project) processes() map[int]string { return programs.Running(p.started) }

func (p *project) started(o programs.Process) bool {
	return slices.Contains(o.Env, p.mark()) || strings.HasPrefix(o.Dir, p.home+"/")
}

// endAll ends what a cell has left, so that the next ones have the machine.
func (p *project) endAll() { programs.End(p.started) }
