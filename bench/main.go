// Bench prints the figures of docs/reference/figures.md. They are ratios within one run on one
// machine, so that they can be compared between machines. Each figure names its bound, and the run
// fails if a figure breaks it.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"warp/internal/sys/sandbox"
)

func main() {
	sandbox.Inside(os.Args[1:])
	part := ""
	if len(os.Args) > 1 && os.Args[1] == "fleet" {
		run(func(dir string) error {
			size, err := parseFleetSize(os.Args[2:])
			if err != nil {
				return err
			}
			return measureFleet(dir, size)
		})
		return
	}
	if len(os.Args) > 2 {
		os.Exit(worker(os.Args[1:]))
	} else if len(os.Args) == 2 {
		part = os.Args[1]
	}
	run(func(dir string) error { return measure(dir, part) })
}

// run measures in its own temporary folder.
func run(measure func(dir string) error) {
	dir, err := os.MkdirTemp("", "warp-bench-")
	if err == nil {
		err = measure(dir)
		os.RemoveAll(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// parts are the parts of bench, by name.
var parts = []struct {
	name string
	run  func(*bench) ([]figure, error)
}{
	{"hooks", hooks}, {"forever", forever}, {"load", load}, {"startup", startup}, {"growth", growth}, {"seedway", seedway},
	{"syncs", syncs}, {"stream", stream}, {"drives", drives}, {"sandbox", boxes}, {"rooms", rooms}, {"usage", tokens}, {"iterations", loop(iterations)}, {"guarded", loop(guarded)}, {"together", loop(together)}, {"aging", loop(aging)}, {"refresh", refresh}, {"watchers", loop(watchers)}, {"pages", openPages}, {"fleet-of-one", fleetOfOne}, {"journal", journalRate}, {"transitions", transitionRate},
}

// measure prints the figures of one part, or of all, and fails if one breaks its bound.
func measure(dir, only string) error {
	b, err := newBench(dir)
	if err != nil {
		return err
	}
	broken := 0
	for _, p := range parts {
		if only != "" && only != p.name {
			continue
		}
		figures, err := p.run(b)
		if err != nil {
			return err
		}
		for _, x := range figures {
			fmt.Println(x)
			broken += x.broken()
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d figures break their bound", broken)
	}
	return nil
}

// figure is one line of the result.
type figure struct {
	name  string
	value float64
	unit  string
	least float64 // 0: no bound
	most  float64
	note  string
}

func (f figure) broken() int {
	if f.most > 0 && f.value > f.most || f.least > 0 && f.value < f.least {
		return 1
	}
	return 0
}

func (f figure) String() string {
	bound := ""
	switch {
	case f.most > 0 && f.least > 0:
		bound = fmt.Sprintf("  (from %g to %g)", f.least, f.most)
	case f.most > 0:
		bound = fmt.Sprintf("  (at most %g)", f.most)
	case f.least > 0:
		bound = fmt.Sprintf("  (at least %g)", f.least)
	}
	if f.broken() > 0 {
		bound += "  BROKEN"
	}
	value := fmt.Sprintf("%.2f", f.value)
	if f.value >= 100 {
		value = fmt.Sprintf("%.0f", f.value)
	}
	return fmt.Sprintf("%-64s %8s %-6s%s%s", f.name, value, f.unit, bound, f.note)
}

// bench is one run: binaries and a folder.
type bench struct {
	dir, warp, hook, fleet, empty, self string
}

func newBench(dir string) (*bench, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	b := &bench{dir: dir, warp: filepath.Join(dir, "warp"), hook: filepath.Join(dir, "warp-hook"), empty: filepath.Join(dir, "empty"), self: self}
	src := filepath.Join(dir, "src")
	if err := os.MkdirAll(src, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(src, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		return nil, err
	}
	for _, x := range [][2]string{{b.warp, "warp/cmd/warp"}, {b.hook, "warp/cmd/warp-hook"}, {b.empty, filepath.Join(src, "main.go")}} {
		if err := command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", x[0], x[1]); err != nil {
			return nil, err
		}
	}
	return b, nil
}
