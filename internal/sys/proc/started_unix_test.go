//go:build unix

package proc

import (
	"os"
	"os/exec"
	"testing"
)

func TestStampIsThatOfOneProcess(t *testing.T) {
	mine, alive := Started(os.Getpid())
	if !alive || mine == "" {
		t.Fatalf("we: %q, %v", mine, alive)
	}
	if again, _ := Started(os.Getpid()); again != mine {
		t.Errorf("the stamp changes: %q, %q", mine, again)
	}
	if _, alive := Started(1); !alive {
		t.Error("the first process is not alive")
	}
	for _, pid := range []int{0, -1, -os.Getpid(), 1 << 30} {
		if stamp, alive := Started(pid); alive || stamp != "" {
			t.Errorf("%d: %q, %v", pid, stamp, alive)
		}
	}
}

func TestZombieCountsAsGone(t *testing.T) {
	c := exec.Command("true")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	// Nobody waits for it yet, so it is a zombie once it has ended.
	eventually(t, "the end of a process that nobody waits for", isGone(c.Process.Pid))
	if !answers(c.Process.Pid) {
		t.Error("it was no zombie, so this test shows nothing")
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	if _, alive := Started(c.Process.Pid); alive {
		t.Error("alive after it was waited for")
	}
}
