package people

import (
	"fmt"
	"strings"
	"testing"
)

func TestLinesWaitWhileAQuestionStandsThere(t *testing.T) {
	var out strings.Builder
	g := &gate{out: &out}
	fmt.Fprintln(g, "before")
	release := g.Hold()
	fmt.Fprintln(g, "meanwhile")
	if out.String() != "before\n" {
		t.Errorf("%q", out.String())
	}
	release()
	fmt.Fprintln(g, "after")
	if out.String() != "before\nmeanwhile\nafter\n" {
		t.Errorf("%q", out.String())
	}
}
