//go:build unix

package proc

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestLinesComeOneByOne(t *testing.T) {
	var got []string
	r, err := Run(t.Context(), Cmd{
		Argv: []string{"sh", "-c", `printf 'one\ntwo\r\n\nthree'; echo no >&2`},
		Line: func(l []byte) { got = append(got, string(l)) },
	})
	if err != nil || !slices.Equal(got, []string{"one", "two", "", "three"}) || string(r.Stdout) != "one\ntwo\r\n\nthree" {
		t.Errorf("got %q, %v, kept %q", got, err, r.Stdout)
	}
}

func TestALineThatIsTooLongIsPassedOver(t *testing.T) {
	var got []string
	r, err := Run(t.Context(), Cmd{
		Argv:    []string{"sh", "-c", "echo short; head -c 5000 /dev/zero | tr '\\0' x; echo; echo after; head -c 5000 /dev/zero | tr '\\0' x"},
		Line:    func(l []byte) { got = append(got, string(l)) },
		MaxLine: 4096,
	})
	if err != nil || !slices.Equal(got, []string{"short", "after"}) || r.LongLine != 2 {
		t.Errorf("got %q, %v, %d passed over", got, err, r.LongLine)
	}
}

func TestSilenceEndsACommandAndNoiseDoesNot(t *testing.T) {
	r, err := Run(t.Context(), Cmd{Argv: []string{"sh", "-c", "echo one; sleep 100"}, Idle: 50 * time.Millisecond, Grace: time.Millisecond})
	if err != nil || !r.Silent || r.TimedOut || r.Exit == 0 {
		t.Errorf("a silent one: %+v, %v", r, err)
	}
	// As long as it speaks it lives, however long that is.
	noisy := "i=0; while [ $i -lt 40 ]; do echo $i; sleep 0.01; i=$((i+1)); done"
	r, err = Run(t.Context(), Cmd{Argv: []string{"sh", "-c", noisy}, Idle: 20 * time.Second})
	if err != nil || r.Silent || r.Exit != 0 || !strings.HasSuffix(string(r.Stdout), "39\n") {
		t.Errorf("a noisy one: %+v, %v", r, err)
	}
}

// A reader that is slow to look at a line must not have the command ended for it.
func TestASlowReaderIsNotTheCommandsSilence(t *testing.T) {
	seen := make(chan struct{})
	r, err := Run(t.Context(), Cmd{
		Argv: []string{"sh", "-c", "echo one; read x; echo two"}, Stdin: waiting{seen}, Idle: time.Second,
		Line: func(l []byte) {
			if string(l) == "one" {
				<-time.After(3 * time.Second) // far longer than Idle
				close(seen)
			}
		},
	})
	if err != nil || r.Silent || string(r.Stdout) != "one\ntwo\n" {
		t.Errorf("%+v, %v", r, err)
	}
}

// waiting gives a line once a channel is closed.
type waiting struct{ until chan struct{} }

func (w waiting) Read(p []byte) (int, error) {
	<-w.until
	return copy(p, "x\n"), io.EOF
}

func TestStartedTellsTheProcess(t *testing.T) {
	pid := 0
	r, err := Run(t.Context(), Cmd{Argv: []string{"sh", "-c", "echo $$"}, Started: func(p int) { pid = p }})
	if err != nil || pid == 0 || strings.TrimSpace(string(r.Stdout)) != strconv.Itoa(pid) {
		t.Errorf("told %d, it is %q, %v", pid, r.Stdout, err)
	}
}

// While a line is looked at nothing more is read: that is no silence of the command's,
// which has ended by then.
func TestOutputIsNotLostToSlowReaders(t *testing.T) {
	const lines = 10_000 // more than is read at once, and no more than a pipe holds
	var got int
	r, err := Run(t.Context(), Cmd{
		Argv:  []string{"sh", "-c", "seq 1 " + strconv.Itoa(lines)},
		Drain: 50 * time.Millisecond,
		Line: func([]byte) {
			if got++; got == 1 {
				<-time.After(time.Second)
			}
		},
	})
	if err != nil || got != lines {
		t.Errorf("%d lines of %d were heard, %v, exit %d", got, lines, err, r.Exit)
	}
}
