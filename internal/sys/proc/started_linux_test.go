package proc

import (
	"os/exec"
	"testing"
)

const statTail = " 1 4242 2 0 -1 4194560 101 0 0 0 0 0 0 0 20 0 1 0 "

func TestParseStat(t *testing.T) {
	for name, line := range map[string]string{
		"plain":       "77 (sleep) S" + statTail + "123456 5 6 7",
		"spaces":      "77 (tmux: server) S" + statTail + "123456 5",
		"parentheses": "77 (a) Z 1 (b) S" + statTail + "123456 5",
		"only these":  "77 ()))((() S" + statTail + "123456",
		"line end":    "77 (a\n) R 1 2 3) S" + statTail + "123456 5\n",
	} {
		if st, ok := parseStat([]byte(line)); !ok || st != (stat{state: 'S', group: 4242, start: "123456", up: 1, session: 2, terminal: 0}) {
			t.Errorf("%s: %+v, %v", name, st, ok)
		}
	}
}

func TestParseStatOfAReusedPidDiffers(t *testing.T) {
	a, _ := parseStat([]byte("77 (sleep) S" + statTail + "123456 5"))
	b, _ := parseStat([]byte("77 (sleep) S" + statTail + "123999 5"))
	if a.start == b.start {
		t.Errorf("both are %q", a.start)
	}
}

func TestParseStatRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, line := range []string{"", "77", "77 (sleep", "77 (sleep)", "77 (sleep) S 1 2", "77 (sleep) SS" + statTail + "5", "77 (sleep) S" + statTail + "five 5"} {
		if st, ok := parseStat([]byte(line)); ok {
			t.Errorf("%q: %+v", line, st)
		}
	}
}

func TestOnlyZombies(t *testing.T) {
	c := exec.Command("sleep", "100000")
	c.SysProcAttr = ownGroup(false)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if onlyZombies(c.Process.Pid) {
		t.Error("a living process was taken for a zombie")
	}
	if err := c.Process.Kill(); err != nil {
		t.Error(err)
	}
	eventually(t, "a zombie", func() bool { return onlyZombies(c.Process.Pid) })
	_ = c.Wait()
	if onlyZombies(c.Process.Pid) {
		t.Error("a group that is not there was seen")
	}
}
