package docscheck_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"warp/internal/core/docscheck"
)

var (
	mark  = regexp.MustCompile(`(?: #)? ?@@([a-z-]+\+?)@@`)
	block = regexp.MustCompile(`(?m)^@@@([a-z-]+) (\d+)@@@\n`)
)

// want is a seeded defect.
type want struct {
	file, rule string
	line       int
	mechanical bool
}

// repository is an archive of the corpus: @@rule@@ behind a line seeds a defect
// on it, a line @@@rule N@@@ one on line N of what remains, for places where a
// mark would change the meaning. The file history tells what became of files.
type repository struct {
	files map[string]string
	wants []want
	gone  map[string]string
}

func load(t testing.TB, path string) repository {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := repository{files: map[string]string{}, gone: map[string]string{}}
	for _, f := range txtar.Parse(data).Files {
		text := string(f.Data)
		if f.Name == "history" {
			r.history(text)
			continue
		}
		if filepath.Ext(f.Name) == ".md" {
			text = r.marks(f.Name, text)
		}
		r.files[f.Name] = text
	}
	return r
}

func (r *repository) history(text string) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		r.gone[f[1]] = strings.Join(f[2:], "")
	}
}

func (r *repository) marks(file, text string) string {
	for _, m := range block.FindAllStringSubmatch(text, -1) {
		line, _ := strconv.Atoi(m[2])
		r.wants = append(r.wants, want{file: file, rule: m[1], line: line})
	}
	text = block.ReplaceAllString(text, "\n")
	var b strings.Builder
	line := 0
	for l := range strings.Lines(text) {
		line++
		for _, m := range mark.FindAllStringSubmatch(l, -1) {
			rule, mechanical := strings.CutSuffix(m[1], "+")
			r.wants = append(r.wants, want{file, rule, line, mechanical})
		}
		b.WriteString(mark.ReplaceAllString(l, ""))
	}
	return b.String()
}

func (r *repository) audit() []docscheck.Finding {
	names := make([]string, 0, len(r.files))
	for name := range r.files {
		names = append(names, name)
	}
	t := docscheck.NewTree(names, func(name string) (string, bool) { text, ok := r.files[name]; return text, ok })
	t.Gone = r.gone
	return docscheck.Audit(t, func(string) bool { return true })
}

// near: where code stops to make sense is not always where it is wrong.
func near(f docscheck.Finding, w want) bool {
	if w.rule == "fence" {
		return f.Line >= w.line-2 && f.Line <= w.line+2
	}
	return f.Line == w.line
}

// The corpus holds seeded defects of many kinds in repositories of many styles.
// At least 95 of 100 are found, and nothing else is: there is no false alarm.
func TestCorpus(t *testing.T) {
	paths, err := filepath.Glob("testdata/corpus/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal(err, "no corpus")
	}
	seeded, hit, alarms := map[string]int{}, map[string]int{}, 0
	for _, path := range paths {
		r := load(t, path)
		found := r.audit()
		for _, w := range r.wants {
			seeded[w.rule]++
			i := slices.IndexFunc(found, func(f docscheck.Finding) bool { return f.File == w.file && f.Rule == w.rule && near(f, w) })
			if i < 0 {
				t.Logf("%s: missed %s:%d %s", filepath.Base(path), w.file, w.line, w.rule)
				continue
			}
			hit[w.rule]++
			if mechanical := found[i].FixKind == docscheck.Mechanical; mechanical != w.mechanical {
				t.Errorf("%s: %s:%d %s: %s", filepath.Base(path), w.file, w.line, found[i].FixKind, found[i].Message)
			}
			found = slices.Delete(found, i, i+1)
		}
		for _, f := range found {
			alarms++
			t.Errorf("%s: false alarm %s:%d:%d %s: %s", filepath.Base(path), f.File, f.Line, f.Column, f.Rule, f.Message)
		}
	}
	total, all := 0, 0
	for _, rule := range slices.Sorted(func(yield func(string) bool) {
		for r := range seeded {
			if !yield(r) {
				return
			}
		}
	}) {
		t.Logf("%-12s %3d of %3d", rule, hit[rule], seeded[rule])
		total += hit[rule]
		all += seeded[rule]
	}
	rate := 100 * float64(total) / float64(all)
	fmt.Printf("docs audit: %d of %d seeded defects found (%.1f%%), %d false alarms, in %d repositories\n", total, all, rate, alarms, len(paths))
	if all < 120 || rate < 95 {
		t.Errorf("%d of %d", total, all)
	}
}

// Fixing changes only what the findings name, and leaves nothing mechanical.
func TestFixesAreAppliedOnce(t *testing.T) {
	paths, _ := filepath.Glob("testdata/corpus/*.txtar")
	for _, path := range paths {
		r := load(t, path)
		for range 3 {
			byFile := map[string][]docscheck.Finding{}
			for _, f := range r.audit() {
				if f.Fix != nil {
					byFile[f.File] = append(byFile[f.File], f)
				}
			}
			for file, list := range byFile {
				r.files[file] = docscheck.ApplyFixes(r.files[file], list)
			}
			if len(byFile) == 0 {
				break
			}
		}
		for _, f := range r.audit() {
			if f.Fix != nil {
				t.Errorf("%s: %s:%d %s is found again: %s", filepath.Base(path), f.File, f.Line, f.Rule, f.Message)
			}
		}
	}
}
