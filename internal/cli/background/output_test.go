package background

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
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
	write(out, "first")
	write(nameOwn(out, dead), "second")
	holds("night.out: first; night.out.1073741824: second; ")
	// Its starter is killed: the next start keeps what it left, not what another is starting.
	write(nameOwn(out, alive), "third")
	adoptOutput(out)
	holds("night.out: second; night.out.1: third; night.out.before: first; ")
	if at := keepOutput(nameOwn(out, alive), out); at != out {
		t.Errorf("it is in %s", at)
	}
	holds("night.out: third; night.out.before: second; ")
	if at := keepOutput(nameOwn(out, dead), out); at != nameOwn(out, dead) {
		t.Errorf("it is in %s", at)
	}
}
