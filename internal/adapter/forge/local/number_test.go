package local

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/engine/forge"
)

// What refers to an issue must not come to mean another one.
func TestANumberIsNotGivenAgain(t *testing.T) {
	tracker, root := fresh(t)
	file := func(want int) {
		t.Helper()
		if i, err := tracker.Create(t.Context(), forge.NewIssue{Title: "T"}); err != nil || i.Number != want {
			t.Errorf("%d, want %d: %v", i.Number, want, err)
		}
	}
	remove := func(n string) {
		t.Helper()
		if err := os.Remove(filepath.Join(root, ".claude", "issues", n)); err != nil {
			t.Fatal(err)
		}
	}
	file(1)
	file(2)
	remove("2.md")
	remove("1.md")
	file(3)
	write(t, root, 9, "# By hand\n")
	file(10)
	remove("10.md")
	remove("9.md")
	file(11)
	remove(lastFile) // then the files are all that is known
	file(12)

	for _, body := range []string{"a", "b"} {
		if p, err := tracker.OpenPull(t.Context(), forge.NewPull{Title: "T", Head: body, Base: "main"}); err != nil || p.Number != map[string]int{"a": 1, "b": 2}[body] {
			t.Errorf("%+v, %v", p, err)
		}
		_ = os.Remove(filepath.Join(root, ".claude", "pulls", "1.md"))
	}

	last := filepath.Join(root, ".claude", "issues", lastFile)
	if err := os.WriteFile(last, []byte("<<<<<<< 12\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := tracker.Create(t.Context(), forge.NewIssue{Title: "T"})
	var e *forge.Error
	if !errors.As(err, &e) || e.Reason != forge.Invalid || !strings.Contains(e.Why, ".claude/issues/.last holds") {
		t.Errorf("%v", err)
	}
}

// What is looked at once more is what came since: a file that another process has made under
// the marker is found, however the files that are known were touched meanwhile.
func TestOnlyNewFilesAreSearchedAgain(t *testing.T) {
	const marker = "<!-- warp:1 -->"
	tracker, root := fresh(t)
	write(t, root, 1, "# Known\n")
	searched := map[int]bool{}
	find := func(want int) {
		t.Helper()
		if n, err := tracker.findFiled(t.Context(), marker, searched); n != want || err != nil {
			t.Errorf("found %d, want %d: %v", n, want, err)
		}
	}
	find(0)
	write(t, root, 1, "---\nthis is not read again\n")
	write(t, root, 2, "# New\n")
	find(0)
	write(t, root, 4, "# Of another process\n\n"+marker+"\n")
	find(4)
	find(4)
}

// The one that cannot be read may be the one that was filed.
func TestNothingIsFiledTwiceOverAFileThatCannotBeRead(t *testing.T) {
	tracker, root := fresh(t)
	n := forge.NewIssue{Title: "Report", Body: "words", Once: "<!-- warp:1 -->"}
	if _, err := tracker.Create(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	text := read(t, root, 1)
	write(t, root, 1, strings.Replace(text, "state: open", "state: opne", 1))
	_, err := tracker.Create(t.Context(), n)
	if !forge.Is(err, forge.Invalid) || !strings.Contains(err.Error(), "cannot tell whether") || !strings.Contains(err.Error(), "1.md") || strings.Contains(err.Error(), "nothing changes") {
		t.Errorf("%v", err)
	}
	if i, err := tracker.Create(t.Context(), forge.NewIssue{Title: "Other"}); err != nil || i.Number != 2 {
		t.Errorf("%+v, %v", i, err)
	}
	write(t, root, 1, text)
	if i, err := tracker.Create(t.Context(), n); err != nil || i.Number != 1 {
		t.Errorf("%+v, %v", i, err)
	}
}

func TestAFileKeepsItsLineEnds(t *testing.T) {
	for text, want := range map[string]string{
		"# T\r\n\r\nwords\r\n":            "---\r\nlabels: x\r\n---\r\n\r\n# T\r\n\r\nwords\r\n\r\n\r\n## Comments\r\n\r\n### Ada Lovelace, 2026-01-02T03:04:06Z\r\n\r\n    a\r\n\r\n    b\r\n",
		"---\r\ntitle: T\r\n---\r\nwords": "---\r\ntitle: T\r\nlabels: x\r\n---\r\nwords\r\n\r\n## Comments\r\n\r\n### Ada Lovelace, 2026-01-02T03:04:06Z\r\n\r\n    a\r\n\r\n    b\r\n",
	} {
		tracker, root := fresh(t)
		write(t, root, 1, text)
		if err := tracker.Comment(t.Context(), 1, forge.NewComment{Body: "a\n\nb\n"}); err != nil {
			t.Fatal(err)
		}
		if err := tracker.Label(t.Context(), 1, []string{"x"}, nil); err != nil {
			t.Fatal(err)
		}
		if got := read(t, root, 1); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if i, err := tracker.Get(t.Context(), 1); err != nil || len(i.Comments) != 1 || i.Comments[0].Body != "a\n\nb" {
			t.Errorf("%+v, %v", i, err)
		}
	}
}
