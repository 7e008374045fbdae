package local

import (
	"strings"
	"testing"

	"warp/internal/engine/forge"
)

// What others write between two questions is seen, however little it changes the file.
func TestAFileThatOthersChangeIsReadAgain(t *testing.T) {
	tracker, root := fresh(t)
	if _, err := tracker.Create(t.Context(), forge.NewIssue{Title: "One", Body: "- [ ] AC-01: a", Labels: []string{"req"}}); err != nil {
		t.Fatal(err)
	}
	get := func() forge.Issue {
		t.Helper()
		i, err := tracker.Get(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	before := get()
	text := read(t, root, 1)
	for old, now := range map[string]string{"[ ]": "[x]", "One": "Two", "state: open": "state: closed"} {
		write(t, root, 1, strings.Replace(text, old, now, 1))
		if i := get(); i.Body == before.Body && i.Title == before.Title && i.Open == before.Open {
			t.Errorf("%q for %q was not seen: %+v", now, old, i)
		}
		write(t, root, 1, text)
		if i := get(); i.Body != before.Body || i.Title != before.Title || !i.Open {
			t.Errorf("%q was not seen again: %+v", old, i)
		}
	}
	write(t, root, 1, strings.Replace(text, "state: open", "state: opne", 1))
	if _, err := tracker.Get(t.Context(), 1); !forge.Is(err, forge.Invalid) {
		t.Errorf("%v", err)
	}
	write(t, root, 1, text)
	get().Labels[0] = "changed"
	if i := get(); !i.Has("req") {
		t.Errorf("%+v: a caller has changed what was read", i)
	}
}

func TestFewTextsAreKept(t *testing.T) {
	var r readIssues
	long := strings.Repeat("x", mostRead+1)
	r.keep(long, forge.Issue{Number: 1})
	if _, known := r.find(1, long); !known {
		t.Error("nothing was kept")
	}
	r.keep("short", forge.Issue{Number: 2})
	if _, known := r.find(1, long); known || r.size != len("short") {
		t.Errorf("%d bytes are kept", r.size)
	}
}
