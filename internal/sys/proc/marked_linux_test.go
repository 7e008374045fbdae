package proc

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"warp/internal/testkit/need"
)

// A child in a session of its own is in no group of ours, but it has our mark.
func TestWhatLeftTheGroupIsEnded(t *testing.T) {
	mark := "WARP_TEST_MARK=" + t.Name() + strconv.Itoa(os.Getpid())
	r, err := Run(t.Context(), Cmd{Argv: []string{"sh", "-c", "setsid sleep 100 </dev/null >/dev/null 2>&1 & echo $!"}, Mark: mark, IsMarkNew: true})
	if err != nil || r.Exit != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(r.Stdout)))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of the process that left the group", isGone(pid)) // a signal takes its time on a busy machine
	if left := marked(mark, since{}); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// A step of a dev environment has the same mark each time: what a killed one left is ended by
// the next.
func TestWhatAnEarlierRunLeftIsEnded(t *testing.T) {
	const mark = "WARP_TEST_MARK=again"
	left := exec.Command("sleep", "100")
	left.Env = []string{mark}
	if err := left.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- left.Wait() }()
	r, err := Run(t.Context(), Cmd{Argv: []string{"true"}, Mark: mark})
	if err != nil || r.Orphans != 1 {
		t.Errorf("%d were ended, %v", r.Orphans, err)
		_ = left.Process.Kill()
	}
	<-ended
}

func TestOnlyTheMarkedAreEnded(t *testing.T) {
	other := exec.Command("sleep", "100")
	other.Env = append(os.Environ(), "WARP_TEST_MARK=another")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = other.Process.Kill()
		_ = other.Wait()
	}()
	mine := exec.Command("sleep", "100")
	mine.Env = append(os.Environ(), "WARP_TEST_MARK=mine")
	if err := mine.Start(); err != nil {
		t.Fatal(err)
	}
	if ended := EndMarked("WARP_TEST_MARK=mine"); len(ended) == 0 || ended[0] != mine.Process.Pid {
		t.Errorf("ended %v", ended)
	}
	if err := mine.Wait(); err == nil {
		t.Error("it ended well")
	}
	if _, alive := Started(other.Process.Pid); !alive {
		t.Error("another one was ended")
	}
}

// Ids are given out in turn, up to the highest one and then from the lowest: those of processes
// that are older than a command are told from those that it may have started.
func TestOnlyWhatIsYoungerIsLookedAt(t *testing.T) {
	most, last, forks := readNumber("pid_max"), readNumber("ns_last_pid"), countForks()
	if most == 0 || last == 0 || forks == 0 {
		need.NotRun(t, "the kernel does not tell which processes are younger")
	}
	wrap := func(pid int) int { return (pid + most) % most }
	far := most / 2 // from all ids that others get while this runs
	s := since{wrap(last - 5), forks}
	for pid, want := range map[int]bool{s.first: true, last: true, wrap(s.first - 1): false, wrap(last + far): false, wrap(s.first - far/2): false} {
		if have := s.younger()(pid); have != want {
			t.Errorf("since %d, %d of at most %d: %v", s.first, pid, most, have)
		}
	}
	for _, s := range []since{{}, {last, 0}, {0, forks}, {last, forks + most}, {last, forks - most}} {
		if !s.younger()(wrap(last - 3)) {
			t.Errorf("%+v: one may be younger, and is not looked at", s)
		}
	}
}

func TestLineageLeadsUp(t *testing.T) {
	up := Lineage(os.Getpid())
	if len(up) < 2 || up[0].Parent != os.Getppid() || up[1].PID != os.Getppid() {
		t.Errorf("%v, the parent is %d", up, os.Getppid())
	}
	if got := Lineage(-1); len(got) != 0 {
		t.Errorf("of no process: %v", got)
	}
}
