package background

import (
	"strings"
	"testing"
	"time"
)

// What runs in the background must not send itself there again.
func TestTheBackgroundIsNotSentToTheBackground(t *testing.T) {
	got := strings.Join(inForeground(strings.Fields("drive 7 --detach=1 --detach --ui=T --until=07:00 --detach=true")), " ")
	if got != "drive 7 --until=07:00" {
		t.Errorf("it runs %q", got)
	}
}

// What ends before it works was never in the background, however it ended.
func TestWhatEndsAtOnceHasItsExitCode(t *testing.T) {
	ended, late := make(chan int, 1), make(chan time.Time, 1)
	works := func() bool { return true }
	if _, over := awaitEnd(ended, late, works); over {
		t.Error("what works has ended")
	}
	late <- time.Now()
	if _, over := awaitEnd(ended, late, works); over {
		t.Error("what is still there has ended")
	}
	ended <- 13
	if code, over := awaitEnd(ended, late, works); code != 13 || !over {
		t.Errorf("exit code %d, %v", code, over)
	}
}
