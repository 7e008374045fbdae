package suite

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what is read into testdata/runs")

func read(output string) *Reader {
	r := &Reader{Root: "/home/me/shop/js"}
	for line := range bytes.Lines([]byte(output)) {
		r.Line(line)
	}
	return r
}

func listed(r *Reader) string {
	run, named := r.Run()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(run)) {
		b.WriteString(run[name].String() + " " + name + "\n")
	}
	if !named {
		b.WriteString("(no test is named)\n")
	}
	return b.String()
}

// Each file holds what a runner printed, as it was printed, and the tests that are read
// from it.
func TestRuns(t *testing.T) {
	files, _ := filepath.Glob("testdata/runs/*.txtar")
	if len(files) < 15 {
		t.Fatalf("%d files", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := listed(read(string(archive.Files[0].Data)))
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "run", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
