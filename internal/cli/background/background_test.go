package background

import (
	"strings"
	"testing"
)

// What runs in the background must not send itself there again.
func TestTheBackgroundIsNotSentToTheBackground(t *testing.T) {
	got := strings.Join(inForeground(strings.Fields("drive 7 --detach=1 --detach --ui=T --until=07:00 --detach=true")), " ")
	if got != "drive 7 --until=07:00" {
		t.Errorf("it runs %q", got)
	}
}
