//go:build linux

package redteam

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The kit has its size, each class has a place in the table, and docs/explanation/security.md
// knows every trick.
func TestTheKitIsWhole(t *testing.T) {
	tricks, err := readTricks()
	if err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile("../docs/explanation/security.md")
	if err != nil {
		t.Fatal(err)
	}
	sample, sampled := 0, map[string]bool{} // by class
	for _, k := range tricks {
		if k.sample {
			sample++
			sampled[k.class] = true
		}
		if !slices.ContainsFunc(classes, func(c struct{ name, title string }) bool { return c.name == k.class }) {
			t.Errorf("%s/%s: the table has no class of that name", k.class, k.name)
		}
		if !strings.Contains(string(docs), "| "+escape(k.does)+" | "+k.stack+", "+k.engine+" |") {
			t.Errorf("%s/%s is not in docs/explanation/security.md: run make redteam", k.class, k.name)
		}
	}
	if len(tricks) < 120 || sample != 15 || len(sampled) != len(classes) {
		t.Errorf("%d tricks, a sample of %d from %d of %d classes", len(tricks), sample, len(sampled), len(classes))
	}
}
