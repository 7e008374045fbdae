package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
)

// greedy are scripts that use more than a limit allows, and would go on for long.
var greedy = map[string]struct {
	limits sandbox.Limits
	script string
	why    string
	in     []sandbox.Kind
}{
	"processes": {sandbox.Limits{Processes: 20}, "for i in $(seq 30); do sleep 100 & done; wait", "processes at once, more than 20 (sandbox_processes)", everywhere},
	"memory":    {sandbox.Limits{MemoryMB: 64}, `x=$(head -c 200000000 /dev/zero | tr '\0' x); sleep 100`, "of memory, more than 64 (sandbox_memory_mb)", everywhere},
	"memory in files": {sandbox.Limits{MemoryMB: 64}, "head -c 60000000 /dev/zero > /tmp/a; head -c 60000000 /dev/zero > /dev/shm/b; sleep 100",
		"of memory, more than 64 (sandbox_memory_mb)", []sandbox.Kind{sandbox.Bwrap}},
	"disk": {sandbox.Limits{DiskMB: 8}, "head -c 20000000 /dev/zero > a; sync a; sleep 100", "to disk, more than 8 (sandbox_disk_mb)", everywhere},
	"disk, by one who left": {sandbox.Limits{DiskMB: 8}, "(setsid sh -c 'head -c 40000000 /dev/zero > a; sync a' &) ; sleep 100",
		"to disk, more than 8 (sandbox_disk_mb)", everywhere},
	"output":             {sandbox.Limits{OutputMB: 1}, "head -c 3000000 /dev/zero; sleep 100", "it printed more than 1 MB (sandbox_output_mb)", everywhere},
	"output on stderr":   {sandbox.Limits{OutputMB: 1}, "head -c 3000000 /dev/zero >&2; sleep 100", "it printed more than 1 MB (sandbox_output_mb)", everywhere},
	"a file":             {sandbox.Limits{FileMB: 1}, "exec head -c 2000000 /dev/zero > big", "more than 1 MB to a file (sandbox_file_mb)", confined},
	"a file, not minded": {sandbox.Limits{FileMB: 1}, `trap '' XFSZ; exec 3> big; head -c 2000000 /dev/zero >&3; sleep 100`, "more than 1 MB to ", confined},
}

var (
	everywhere = []sandbox.Kind{sandbox.Bwrap, sandbox.Landlock, sandbox.Off}
	confined   = []sandbox.Kind{sandbox.Bwrap, sandbox.Landlock} // the kernel's bounds are set inside
)

// A run that uses too much of the machine ends with the reason.
func TestLimits(t *testing.T) {
	for name, c := range greedy {
		for _, kind := range c.in {
			t.Run(name+" in "+string(kind), func(t *testing.T) {
				t.Parallel()
				s := newScene(t, kind)
				s.profile.Limits = c.limits
				wrapped, err := s.box.Wrap(proc.Cmd{Argv: []string{"bash", "-c", c.script}, Dir: s.project, Timeout: time.Minute, Grace: time.Millisecond}, s.profile)
				must(t, err)
				res, err := c.limits.Run(t.Context(), wrapped, []string{s.project})
				var over sandbox.OverLimit
				if !errors.As(err, &over) || !strings.Contains(over.Why, c.why) {
					t.Errorf("%v; exit %d, %.300s", err, res.Exit, res.Stderr)
				}
				if st, err := os.Stat(filepath.Join(s.project, "big")); err == nil && st.Size() > 1<<20 {
					t.Errorf("the file has %d bytes", st.Size())
				}
			})
		}
	}
}

// One that stays within its limits is not ended for them.
func TestWithinLimits(t *testing.T) {
	s := newScene(t, sandbox.Bwrap)
	l := sandbox.Limits{Processes: 50, MemoryMB: 500, FileMB: 10, DiskMB: 50, OutputMB: 5}
	s.profile.Limits = l
	c, err := s.box.Wrap(proc.Cmd{Argv: []string{"bash", "-c", "head -c 5000000 /dev/zero > a; head -c 1000000 a; exit 3"}, Dir: s.project, Timeout: time.Minute}, s.profile)
	must(t, err)
	if res, err := l.Run(t.Context(), c, []string{s.project}); err != nil || res.Exit != 3 || res.StdoutSize != 1_000_000 {
		t.Errorf("%v, exit %d, %d bytes, %s", err, res.Exit, res.StdoutSize, res.Stderr)
	}
}
