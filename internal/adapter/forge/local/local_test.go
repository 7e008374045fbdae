package local

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"warp/internal/durable"
	"warp/internal/engine/forge"
	"warp/internal/testkit/forgetest"
)

// clock is a second later each time.
func clock() func() time.Time {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return func() time.Time {
		at = at.Add(time.Second)
		return at
	}
}

func fresh(t testing.TB) (*Tracker, string) {
	root := t.TempDir()
	store := durable.New(durable.Config{Dir: filepath.Join(root, ".claude"), Now: clock()})
	return New(Config{Store: store, User: "Ada  Lovelace", Now: clock()}), root
}

// write is what a person does with an editor.
func write(t testing.TB, root string, number int, text string) {
	t.Helper()
	name := filepath.Join(root, filepath.FromSlash(file(issuesFolder, number)))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, root string, number int) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file(issuesFolder, number))))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestConformance(t *testing.T) {
	forgetest.Run(t, func(t *testing.T) (forge.Tracker, forgetest.Backdoor) {
		tracker, root := fresh(t)
		return tracker, forgetest.Backdoor{
			User: "Ada Lovelace",
			SetBody: func(t *testing.T, number int, body string) {
				d, err := parse(read(t, root, number))
				if err != nil {
					t.Fatal(err)
				}
				d.body = body
				write(t, root, number, d.String())
			},
			Pull: func(t *testing.T, number int, body string) string {
				name := filepath.Join(root, filepath.FromSlash(file(pullsFolder, number)))
				text, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				d, err := parse(string(text))
				if err == nil && body != "" {
					d.body = body
					err = os.WriteFile(name, []byte(d.String()), 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
				return d.body
			},
			Branch: func(*testing.T, string) string { return "" },
		}
	})
}
