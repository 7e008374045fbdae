package background

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Whatever becomes of a start and of the process that tries it, the output of what runs is neither
// moved nor cut before the start has worked.
func TestTheOutputOfWhatRunsIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "night.out")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	holds := func(want string) {
		t.Helper()
		got := ""
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			got += fmt.Sprintf("%s: %s; ", f.Name(), printed(filepath.Join(dir, f.Name())))
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	const dead, alive = 1 << 30, 1
	// A start is refused, and its starter killed: what it left does not replace what runs.
	write(out, "first")
	write(nameOwn(out, dead), "refused")
	write(filepath.Join(dir, "1073741825"), "another's")
	write(nameOwn(out, alive), "second")
	if at := keepOutput(nameOwn(out, alive), out); at != out {
		t.Errorf("it is in %s", at)
	}
	holds("1073741825: another's; night.out: second; night.out.1073741824: refused; night.out.before: first; ")
	// A start without output moves nothing.
	if at := keepOutput(nameOwn(out, alive), out); at != nameOwn(out, alive) {
		t.Errorf("it is in %s", at)
	}
	holds("1073741825: another's; night.out: second; night.out.1073741824: refused; night.out.before: first; ")
	// What was left goes with the output that was written after it.
	write(nameOwn(out, alive), "third")
	write(nameOwn(out, dead+2), "still written")
	for name, age := range map[string]time.Duration{nameOwn(out, dead): 3, filepath.Join(dir, "1073741825"): 3, earlier(out): 2, nameOwn(out, dead+2): 1, nameOwn(out, alive): 3} {
		at := time.Now().Add(-age * time.Hour)
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if at := keepOutput(nameOwn(out, alive), out); at != out {
		t.Errorf("it is in %s", at)
	}
	holds("1073741825: another's; night.out: third; night.out.1073741826: still written; night.out.before: second; ")
}
