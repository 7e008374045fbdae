package testoutput

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite what testdata/runs wants")

// Each file holds the output of a run as it was printed, the names of what
// failed in it, and its excerpt of at most 1,200 bytes.
func TestRuns(t *testing.T) {
	files, err := filepath.Glob("testdata/runs/*.txtar")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			run, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			output := string(run.Files[0].Data)
			names := ""
			for _, n := range FailingTests(output) {
				names += n + "\n"
			}
			got := []txtar.File{run.Files[0], {Name: "failing", Data: []byte(names)}, {Name: "excerpt", Data: []byte(Excerpt(output, 1200))}}
			if *update {
				run.Files = got
				if err := os.WriteFile(file, txtar.Format(run), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(texts(run.Files[1:]), texts(got[1:])); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func texts(files []txtar.File) map[string]string {
	m := map[string]string{}
	for _, f := range files {
		m[f.Name] = string(f.Data)
	}
	return m
}

// A package is no test, unless nothing else is named.
func TestCountTests(t *testing.T) {
	for want, run := range map[int]Run{
		0: nil,
		1: {"p TestA": Passed, "p" + Whole: Passed},
		2: {"p" + Whole: Passed, "q" + Whole: Failed},
	} {
		if have := run.CountTests(); have != want {
			t.Errorf("%v: %d, not %d", run, have, want)
		}
	}
}
