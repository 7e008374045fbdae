//go:build linux

package trial

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
)

// family is one project of the wrong-code family, the archive NAME.txtar: a project with one
// issue, what a checker would answer for each of its criteria, and how the issue is solved:
//
//	issue.md                the title and the criteria
//	test                    the project's own test command
//	base/PATH               the project
//	contract/AC-01          what a criterion means, for coder, checker and verifier
//	kind/AC-01              new, keeps or shape
//	check/AC-01/PATH        the check, and command/AC-01, which runs it alone
//	stub/PATH               over the base: has the contract's names, and does nothing
//	right/N/PATH            over the base: does all that is asked for, each in another way
//	wrong/NAME/PATH         over the base: green under the project's own tests, and not right;
//	                        the criteria that exclude it, all of them, stand in .excluded
//	vacuous/NAME/PATH       a check that proves nothing, of the criterion in .criterion, run by
//	                        the command in .command
type family struct {
	name     string
	criteria []string
	files    map[string]string
}

func readFamilies(t *testing.T) (list []family) {
	t.Helper()
	paths, err := filepath.Glob("testdata/redfirst/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("there is no archive: %v", err)
	}
	criterion := regexp.MustCompile(`(?m)^- \[ \] (AC-\d\d): `)
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := family{name: strings.TrimSuffix(filepath.Base(path), ".txtar"), files: map[string]string{}}
		for _, file := range archive.Files {
			if _, twice := f.files[file.Name]; twice {
				t.Errorf("%s has %s twice", path, file.Name)
			}
			f.files[file.Name] = string(file.Data)
		}
		for _, m := range criterion.FindAllStringSubmatch(f.files["issue.md"], -1) {
			f.criteria = append(f.criteria, m[1])
		}
		list = append(list, f)
	}
	return list
}

// line is a file of one line.
func (f family) line(name string) string { return strings.TrimSpace(f.files[name]) }

// under are the files below a folder of the archive.
func (f family) under(folder string) map[string]string {
	found := map[string]string{}
	for name, text := range f.files {
		if rest, ok := strings.CutPrefix(name, folder+"/"); ok {
			found[rest] = text
		}
	}
	return found
}

// each are the folders below one: right/1, right/2 …
func (f family) each(folder string) []string {
	names := map[string]bool{}
	for rest := range f.under(folder) {
		name, _, _ := strings.Cut(rest, "/")
		names[folder+"/"+name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// stack is what the project is written in: go, node, python3 or sh.
func (f family) stack() string {
	word, _, _ := strings.Cut(f.line("test"), " ")
	return word
}

// The archives have all their parts, and are enough of them.
func TestTheWrongCodeFamilyIsWhole(t *testing.T) {
	t.Parallel()
	stacks, right, wrong, vacuous := map[string]int{}, 0, 0, 0
	for _, f := range readFamilies(t) {
		t.Run(f.name, func(t *testing.T) { f.hasAllParts(t) })
		stacks[f.stack()]++
		right += len(f.each("right"))
		wrong += len(f.each("wrong"))
		vacuous += len(f.each("vacuous"))
	}
	for _, stack := range []string{"go", "node", "python3", "sh"} {
		if stacks[stack] < 2 {
			t.Errorf("%d archives are in %s", stacks[stack], stack)
		}
	}
	t.Logf("%v: %d right, %d wrong, %d vacuous", stacks, right, wrong, vacuous)
	if right < 30 || wrong < 30 || vacuous < 10 {
		t.Errorf("there are %d right and %d wrong implementations and %d vacuous checks", right, wrong, vacuous)
	}
}

func (f family) hasAllParts(t *testing.T) {
	if n := len(f.criteria); n < 2 || n > 4 {
		t.Errorf("it has %d criteria", n)
	}
	if !strings.HasPrefix(f.files["issue.md"], "# ") || f.line("test") == "" || len(f.under("base")) == 0 || len(f.under("stub")) == 0 {
		t.Error("it has no title, no test command, no base or no stub")
	}
	for _, folder := range []string{"contract", "kind", "command", "check"} {
		for _, id := range f.each(folder) {
			if !slices.Contains(f.criteria, filepath.Base(id)) {
				t.Errorf("%s is of no criterion", id)
			}
		}
	}
	for _, id := range f.criteria {
		if n := utf8.RuneCountInString(f.line("contract/" + id)); n == 0 || n > 400 {
			t.Errorf("the contract of %s has %d characters", id, n)
		}
		if !strings.Contains(f.line("contract/"+id), "Example: ") {
			t.Errorf("the contract of %s has no example", id)
		}
		kind, name, whole := f.line("kind/"+id), "warp_zq7_"+strings.ToLower(strings.ReplaceAll(id, "-", "")), ""
		if !slices.Contains([]string{"new", "keeps", "shape"}, kind) || f.line("command/"+id) == "" {
			t.Errorf("%s is of kind %q, and its command is %q", id, kind, f.line("command/"+id))
		}
		for path, text := range f.under("check/" + id) {
			whole += text
			if !strings.Contains(path, name) || !strings.Contains(f.line("command/"+id), name) {
				t.Errorf("%s of %s, or its command, does not have %s in its name", path, id, name)
			}
		}
		if n := strings.Count(whole, "\n"); n == 0 || n > 40 {
			t.Errorf("the check of %s has %d lines", id, n)
		}
		if kind == "new" && (!strings.Contains(whole, "example 1") || !strings.Contains(whole, "example 2")) {
			t.Errorf("the check of %s has no two examples", id)
		}
	}
	for _, w := range f.each("wrong") {
		ids := strings.Fields(f.files[w+"/.excluded"])
		if len(ids) == 0 || slices.ContainsFunc(ids, func(id string) bool { return !slices.Contains(f.criteria, id) }) {
			t.Errorf("%s is excluded by %q", w, ids)
		}
	}
	for _, v := range f.each("vacuous") {
		if !slices.Contains(f.criteria, f.line(v+"/.criterion")) || f.line(v+"/.command") == "" {
			t.Errorf("%s has no criterion or no command", v)
		}
	}
}
