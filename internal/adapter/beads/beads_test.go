package beads

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// replay is a bd that says what was recorded, and writes down how it was called.
const replay = `#!/bin/sh
here=$(dirname "$0")
for word; do printf '%s\n' "$word"; done >"$here/argv"
[ "$BEADS_NO_DAEMON" = 1 ] || exit 99
[ -e "$here/$1.err" ] && cat "$here/$1.err" >&2
[ -e "$here/$1.out" ] && cat "$here/$1.out"
[ -e "$here/$1.exit" ] && exit "$(cat "$here/$1.exit")"
exit 0
`

// fake puts a bd into a folder; files are what it says: "ready.out", "ready.err".
func fake(t *testing.T, files map[string]string) (*Beads, func() string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "bd")
	if err := os.WriteFile(path, []byte(replay), 0o700); err != nil {
		t.Fatal(err)
	}
	return New(Options{Path: path, Dir: t.TempDir()}), func() string {
		text, _ := os.ReadFile(filepath.Join(dir, "argv"))
		return strings.TrimSpace(strings.ReplaceAll(string(text), "\n", " "))
	}
}

func recorded(t *testing.T, version string) map[string]string {
	t.Helper()
	files := map[string]string{}
	list, err := filepath.Glob(filepath.Join("testdata", version, "*"))
	if err != nil || len(list) == 0 {
		t.Fatal(err, list)
	}
	for _, path := range list {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = string(text)
	}
	return files
}

func ids(list []Item) (out []string) {
	for _, i := range list {
		out = append(out, i.ID)
	}
	return out
}

func TestEveryVersionSaysTheSame(t *testing.T) {
	for _, version := range []string{"0.47", "1.x", "2.0"} {
		t.Run(version, func(t *testing.T) {
			b, called := fake(t, recorded(t, version))
			first := Item{ID: "demo-anu", Title: "First thing", Description: "d of demo-anu", Status: "open", Priority: 1, Labels: []string{"a", "b"}}
			ready, err := b.Ready(t.Context())
			if diff := cmp.Diff([]Item{first}, ready); err != nil || diff != "" || called() != "ready --limit 0 --json" {
				t.Error(err, called(), diff)
			}
			all, err := b.Unfinished(t.Context())
			if diff := cmp.Diff([]string{"demo-anu", "demo-wip", "demo-2i1", "demo-blk"}, ids(all)); err != nil || diff != "" || called() != "list --limit 0 --json" {
				t.Error(err, called(), diff)
			}
			one, err := b.Show(t.Context(), "demo-anu")
			if diff := cmp.Diff(first, one); err != nil || diff != "" || called() != "show demo-anu --json" {
				t.Error(err, called(), diff)
			}
			mine, err := b.Claim(t.Context(), "demo-anu")
			if err != nil || mine.Status != "in_progress" || mine.Assignee != "t" || called() != "update demo-anu --claim --json" {
				t.Error(err, called(), mine)
			}
			if err := b.Close(t.Context(), "demo-anu", "- built\nand \x00tested"); err != nil || called() != `close demo-anu --reason=- built\nand \u0000tested --json` {
				t.Error(err, called())
			}
		})
	}
}

func TestNothingReady(t *testing.T) {
	for _, text := range []string{"[]\n", "null", `{"schema_version":1,"data":[]}`, `{"schema_version":1,"data":null}`} {
		b, _ := fake(t, map[string]string{"ready.out": text})
		if list, err := b.Ready(t.Context()); err != nil || len(list) != 0 {
			t.Errorf("%s: %v, %v", text, list, err)
		}
	}
	b, _ := fake(t, map[string]string{"ready.out": `[{"id":"--force","status":"open"},{"id":"a/b","status":"open"},{"id":"ok-1.2","status":"open"}]`})
	if list, err := b.Ready(t.Context()); err != nil || len(list) != 1 || list[0].ID != "ok-1.2" {
		t.Errorf("what could not be named again is not offered: %v, %v", list, err)
	}
}

func TestWhatGoesWrongIsSaid(t *testing.T) {
	const none = "Error: no beads database found\nHint: run 'bd init' to create a database in the current directory\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"no database", map[string]string{"show.err": none, "show.exit": "1"}, errNoDatabase.Error()},
		{"no database, as JSON", map[string]string{"show.out": `{"error":"no beads database found","schema_version":1}`, "show.exit": "1"}, errNoDatabase.Error()},
		{"an error, as JSON", map[string]string{"show.out": "{\n  \"error\": \"resolving ID x\"\n}", "show.exit": "1"}, "bd show demo-1: resolving ID x"},
		{"an error with exit 0", map[string]string{"show.err": "Error fetching nope: no issue found matching \"nope\"\n"}, `bd show demo-1: Error fetching nope: no issue found matching "nope"`},
		{"nothing at all", map[string]string{}, "bd show demo-1: it gave no answer that could be read (exit 0); is it version 0.47 or later?"},
		{"no JSON", map[string]string{"show.out": "demo-1: First thing"}, "bd show demo-1: it gave no answer that could be read (exit 0); is it version 0.47 or later?"},
		{"another object", map[string]string{"show.out": `{"schema_version":1}`}, "bd show demo-1: it gave no answer that could be read (exit 0); is it version 0.47 or later?"},
		{"an object of other types", map[string]string{"show.out": `{"id":7}`}, "bd show demo-1: it gave no answer that could be read (exit 0); is it version 0.47 or later?"},
		{"an answer, but exit 1", map[string]string{"show.out": `[]`, "show.err": "Error: the disk is full\x1b[31m\nmore", "show.exit": "1"}, `bd show demo-1: the disk is full\u001b[31m`},
		{"no such issue", map[string]string{"show.out": `[]`}, "bd show demo-1: there is no such issue"},
	} {
		b, _ := fake(t, c.files)
		if _, err := b.Show(t.Context(), "demo-1"); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	b, _ := fake(t, map[string]string{"close.out": `[{"id":"demo-1","status":"open"}]`})
	if err := b.Close(t.Context(), "demo-1", ""); err == nil || err.Error() != "bd close demo-1: it is open" {
		t.Errorf("what is said to be closed must be: %v", err)
	}
	if _, err := New(Options{Path: filepath.Join(t.TempDir(), "bd")}).Ready(t.Context()); !errors.Is(err, errNotInstalled) {
		t.Error(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Ready(over); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestAClaimThatSomebodyHas(t *testing.T) {
	for _, files := range []map[string]string{
		{"update.err": "Error claiming demo-1: already claimed by ann\n"}, // 0.47 exits with 0
		{"update.out": `{"error":"already claimed by ann"}`, "update.exit": "1"},
	} {
		b, _ := fake(t, files)
		_, err := b.Claim(t.Context(), "demo-1")
		var has *ClaimedError
		if !errors.As(err, &has) || *has != (ClaimedError{"demo-1", "ann"}) || err.Error() != "demo-1 is already claimed by ann" {
			t.Errorf("%v", err)
		}
	}
}

func TestIDsAreLookedAtBeforeTheyAreArguments(t *testing.T) {
	b, called := fake(t, map[string]string{})
	for _, id := range []string{"", "--db=/etc/passwd", "a b", "a\nb", "$(id)", "../x", strings.Repeat("x", 81)} {
		_, err1 := b.Show(t.Context(), id)
		_, err2 := b.Claim(t.Context(), id)
		err3 := b.Close(t.Context(), id, "done")
		for _, err := range []error{err1, err2, err3} {
			if err == nil || !strings.Contains(err.Error(), "an id must be letters") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %v", id, err)
			}
		}
	}
	if called() != "" {
		t.Error("bd was called with", called())
	}
}

func TestAReasonIsBounded(t *testing.T) {
	b, called := fake(t, map[string]string{"close.out": `[{"id":"demo-1","status":"closed"}]`})
	if err := b.Close(t.Context(), "demo-1", strings.Repeat("é", 4000)); err != nil || len(called()) > maxReason+50 || !strings.Contains(called(), "é…") {
		t.Error(err, len(called()))
	}
}
