package scope_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"warp/internal/core/scope"
)

func added(path string) scope.File { return scope.File{Path: path, Status: 'A', Size: 10} }

func TestFind(t *testing.T) {
	changed := func(path string) scope.File { return scope.File{Path: path, Status: 'M', Size: 10, OldSize: 10} }
	with := func(f scope.File, change func(*scope.File)) scope.File { change(&f); return f }
	for name, c := range map[string]struct {
		file scope.File
		a    scope.Asked
		want string // part of the reason; "": none
	}{
		"source":                     {added("src/parse.go"), scope.Asked{}, ""},
		"a changed file":             {changed("notes.txt"), scope.Asked{}, ""},
		"notes":                      {added("NOTES.md"), scope.Asked{}, "looks left over"},
		"notes that are asked for":   {added("NOTES.md"), scope.Asked{Criteria: []string{"NOTES.md says how to build"}}, ""},
		"notes of the issue":         {added("NOTES.md"), scope.Asked{Issue: "write `docs/NOTES.md`\nand NOTES.md."}, ""},
		"notes that are listed":      {added("NOTES.md"), scope.Asked{Files: []string{"./NOTES.md"}, Listed: true}, ""},
		"a summary":                  {added("FIX_SUMMARY.md"), scope.Asked{}, "looks left over"},
		"a changelog":                {added("CHANGELOG.md"), scope.Asked{}, ""},
		"a log":                      {added("sub/debug.log"), scope.Asked{}, "looks left over"},
		"a cache":                    {added("a/__pycache__/x.pyc"), scope.Asked{}, "looks left over"},
		"source that is not listed":  {added("src/extra.go"), scope.Asked{Files: []string{"src/parse.go"}, Listed: true}, "neither the issue nor the coder names"},
		"a listed folder":            {added("src/deep/extra.go"), scope.Asked{Files: []string{"src"}, Listed: true}, ""},
		"a listed pattern":           {added("src/extra.go"), scope.Asked{Files: []string{"src/*.go"}, Listed: true}, "neither the issue nor the coder names"},
		"all files are listed":       {added("src/extra.go"), scope.Asked{Files: []string{"**", "*", ".", "/", ""}, Listed: true}, "neither the issue nor the coder names"},
		"a listed name with signs":   {added("app/[id]/x.ts"), scope.Asked{Files: []string{"app/[id]/x.ts"}, Listed: true}, ""},
		"relative to the project":    {added("app/src/x.go"), scope.Asked{Files: []string{"src/x.go"}, Listed: true, Prefix: "app"}, ""},
		"an absolute path":           {added("src/x.go"), scope.Asked{Files: []string{"/home/it/src/x.go"}, Listed: true}, ""},
		"named by its folder":        {added("examples/a/x.go"), scope.Asked{Criteria: []string{"there are examples in examples/a."}, Listed: true}, ""},
		"named by a pattern":         {added("q/x.golden"), scope.Asked{Criteria: []string{"the (*.golden) files"}, Listed: true}, ""},
		"a large file":               {with(changed("data.json"), func(f *scope.File) { f.Size = 246_000 }), scope.Asked{}, "246 kB"},
		"it was large":               {with(changed("data.json"), func(f *scope.File) { f.Size, f.OldSize = 246_000, 240_000 }), scope.Asked{}, ""},
		"a lock file":                {with(added("package-lock.json"), func(f *scope.File) { f.Size = 246_000 }), scope.Asked{Listed: true}, ""},
		"a binary":                   {with(added("logo.png"), func(f *scope.File) { f.Binary = true }), scope.Asked{Files: []string{"logo.png"}, Listed: true}, "a new binary file"},
		"a binary that is asked for": {with(added("logo.png"), func(f *scope.File) { f.Binary = true }), scope.Asked{Criteria: []string{"the page shows logo.png"}}, ""},
		"a test binary": {with(added("pflag.test"), func(f *scope.File) { f.Size, f.Executable = 5_600_000, true }), scope.Asked{},
			"5600 kB, newly executable, a new file that is named nowhere, and looks left over"},
		"an executable":          {with(changed("run.sh"), func(f *scope.File) { f.Executable = true }), scope.Asked{}, "newly executable"},
		"it was executable":      {with(changed("run.sh"), func(f *scope.File) { f.Executable, f.WasExecutable = true, true }), scope.Asked{}, ""},
		"reformatted":            {with(changed("a.go"), func(f *scope.File) { f.Reformatted = 246 }), scope.Asked{}, "246 lines changed only in white space"},
		"a workflow":             {changed(".github/workflows/ci.yml"), scope.Asked{Issue: "see .github/workflows/ci.yml"}, "a file that CI runs"},
		"a workflow, named":      {changed(".github/workflows/ci.yml"), scope.Asked{Criteria: []string{"`.github/workflows` runs the linter"}}, ""},
		"a removed workflow":     {scope.File{Path: ".gitlab-ci.yml", Status: 'D', OldSize: 3}, scope.Asked{}, "a file that CI runs"},
		"a renamed workflow":     {scope.File{Path: "x.yml", OldPath: ".GitHub/Workflows/x.yml", Status: 'R'}, scope.Asked{}, "a file that CI runs"},
		"another's template":     {changed(".github/ISSUE_TEMPLATE/bug.md"), scope.Asked{}, ""},
		"instructions elsewhere": {added("sub/Claude.MD"), scope.Asked{Criteria: []string{"CLAUDE.md names the command"}, Listed: true}, "agents load as instructions"},
		"instructions here":      {added("CLAUDE.md"), scope.Asked{Criteria: []string{"CLAUDE.md names the command"}, Listed: true}, ""},
		"instructions there":     {added("sub/CLAUDE.md"), scope.Asked{Criteria: []string{"sub/CLAUDE.md names the command"}, Listed: true}, ""},
		"servers elsewhere":      {added("sub/.mcp.json"), scope.Asked{Criteria: []string{".mcp.json has the server"}, Listed: true}, "agents load as instructions"},
		"servers here":           {added(".mcp.json"), scope.Asked{Criteria: []string{".mcp.json has the server"}, Listed: true}, ""},
		"instructions":           {added("pkg/.CLAUDE/commands/x.md"), scope.Asked{Files: []string{"pkg/.CLAUDE/commands/x.md"}, Listed: true}, "agents load as instructions"},
		"agents' file":           {changed("docs/Agents.md"), scope.Asked{Criteria: []string{"AGENTS are told"}}, "agents load as instructions"},
		"tasks of an editor":     {added("a/.vscode/tasks.json"), scope.Asked{}, "editors load"},
		"a shell's":              {added(".envrc"), scope.Asked{}, "shells load"},
		"a dev container":        {added(".devcontainer.json"), scope.Asked{}, "editors load"},
		"a word is no name":      {added("notes"), scope.Asked{Criteria: []string{"it takes no notice"}}, "looks left over"},
		"an uppercase stem":      {added("HISTORY.rst"), scope.Asked{Issue: "an entry in HISTORY", Listed: true}, ""},
		"a word in bold":         {added("src/everyday.go"), scope.Asked{Criteria: []string{"it does this for *every* flag, and **only** then"}, Listed: true}, "neither"},
		"a name in bold":         {added("NOTES.md"), scope.Asked{Criteria: []string{"**NOTES.md** says how"}, Listed: true}, ""},
		"nothing but slashes":    {added("x.go"), scope.Asked{Criteria: []string{"a / b ** .. ."}, Listed: true}, "neither"},
	} {
		t.Run(name, func(t *testing.T) {
			have := scope.Find([]scope.File{c.file}, c.a)
			if (len(have) > 0) != (c.want != "") || len(have) > 0 && (have[0].File != c.file.Path || !strings.Contains(have[0].Why, c.want)) {
				t.Errorf("%+v, want %q", have, c.want)
			}
		})
	}
}

func TestVendoredDependenciesAndTheirModuleAreOneChange(t *testing.T) {
	files := []scope.File{{Path: "go.mod", Status: 'M'}, added("go.sum"), added("vendor/a/a.go"), added("vendor/a/tables.go"), {Path: "vendor/modules.txt", Status: 'A'}}
	files[3].Size = 2_000_000
	a := scope.Asked{Files: []string{"go.mod"}, Listed: true}
	if have := scope.Find(files, a); len(have) > 0 {
		t.Errorf("%+v", have)
	}
	if have := scope.Find(files[2:], a); len(have) != 3 {
		t.Errorf("without go.mod: %+v", have)
	}
	for want, f := range map[string]scope.File{ // no package of Go needs them
		"a new binary file, 5000 kB": {Path: "vendor/a/a.bin", Status: 'A', Binary: true, Size: 5_000_000},
		"newly executable":           {Path: "vendor/a/run.sh", Status: 'A', Executable: true, Size: 10},
	} {
		if have := scope.Find(append(files, f), a); len(have) != 1 || have[0].File != f.Path || !strings.HasPrefix(have[0].Why, want) {
			t.Errorf("%s: %+v", f.Path, have)
		}
	}
}

func TestDescribe(t *testing.T) {
	var list []scope.Point
	for n := range 25 {
		list = append(list, scope.Point{File: fmt.Sprintf("f%d", n), Why: "why"})
	}
	if have := scope.Describe(list); !strings.HasPrefix(have, "f0: why\nf1: why\n") || !strings.HasSuffix(have, "f19: why\nand 5 more") {
		t.Errorf("%s", have)
	}
}

func TestReformatted(t *testing.T) {
	patch := func(name string, hunks ...string) string {
		return "diff --git a/" + name + " b/" + name + "\nindex 1..2 100644\n--- a/" + name + "\n+++ b/" + name + "\n@@ -1 +1 @@\n" + strings.Join(hunks, "@@ -9 +9 @@ x\n")
	}
	for name, c := range map[string]struct {
		patch string
		want  []int
	}{
		"nothing":              {"", nil},
		"a mode":               {"diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", []int{0}},
		"an edit":              {patch("a.go", " x\n-a\n+b\n"), []int{0}},
		"indentation":          {patch("a.go", " x\n-  a\n-  b\n+\ta\n+\tb\n"), []int{2}},
		"one of two hunks":     {patch("a.go", "-a\n+b\n", "-  a\n+ a\n"), []int{1}},
		"the second file":      {patch("a.go", "-a\n+b\n") + patch("b.go", "-  a\n+ a\n"), []int{0, 1}},
		"wrapped in a block":   {patch("a.go", "+if x {\n-a\n-b\n+\ta\n+\tb\n+}\n"), []int{0}},
		"joined":               {patch("a.go", "-f(\n-  a,\n-  b)\n+f(a, b)\n"), []int{3}},
		"a blank line":         {patch("a.go", " a\n+\n b\n"), []int{1}},
		"carriage returns":     {patch("a.go", "-a\n+a\r\n"), []int{1}},
		"the last line's end":  {patch("a.go", "-a\n\\ No newline at end of file\n+a\n"), []int{0}},
		"in quotes":            {patch("a.go", "-say(\"a:b\")\n+say(\"a: b\")\n"), []int{0}},
		"beside quotes":        {patch("a.go", "-say( \"a: b\" )\n+say(\"a: b\")\n"), []int{1}},
		"dedented, Python":     {patch("a.py", " for x in y:\n     f(x)\n-    return x\n+return x\n"), []int{0}},
		"dedented, elsewhere":  {patch("a.js", " for x in y:\n     f(x)\n-    return x\n+return x\n"), []int{1}},
		"two spaces, Python":   {patch("a.py", "-def f():\n-    if x:\n-        y\n-    z\n+def f():\n+  if x:\n+    y\n+  z\n"), []int{4}},
		"tabs, Python":         {patch("a.py", "-def f():\n-    if x:\n-        y\n+def f():\n+\tif x:\n+\t\ty\n"), []int{3}},
		"content like headers": {patch("a.sql", "--- a\n+++ a\n"), []int{0}},
	} {
		if have := scope.Reformatted([]byte(c.patch)); !slices.Equal(have, c.want) {
			t.Errorf("%s: %v, want %v", name, have, c.want)
		}
	}
}

func FuzzReformatted(f *testing.F) {
	f.Add([]byte("diff --git a/x b/x\n+++ b/x.py\n@@ -1 +1 @@\n-  a\n+ a\n"))
	f.Fuzz(func(_ *testing.T, patch []byte) { scope.Reformatted(patch) })
}

func TestPointsAboutFiles(t *testing.T) {
	mine := []scope.Point{{File: "a.go", Why: "reformatted"}}
	all := scope.Merge(mine, []scope.Point{{File: "a.go", Why: "looks unneeded", By: "codex"}, {File: "b.go", Why: "an extra flag", By: "codex"}})
	if have := scope.Names(all); !slices.Equal(have, []string{"a.go", "b.go"}) || all[0].By != "" {
		t.Errorf("%v", all)
	}
	if !scope.Has(all, "b.go") || scope.Has(all, "c.go") {
		t.Error("which files there are points about")
	}
	if have := all[1].String(); have != "b.go: an extra flag (says the verifier)" {
		t.Error(have)
	}
	asked := scope.Asked{Criteria: []string{"`app/main.go` has a flag --quiet"}}
	if !asked.Allows("app/main.go") || asked.Allows("app/other.go") {
		t.Error("what a criterion names")
	}
	changed := []string{"app/main.go", "README.md"}
	for said, want := range map[string]string{"main.go": "app/main.go", "./app/main.go": "app/main.go", "README.md": "README.md", "../README.md": "README.md", "x.go": ""} {
		if have := scope.FindPath(said, "app", changed); have != want {
			t.Errorf("%s: %q, want %q", said, have, want)
		}
	}
}
