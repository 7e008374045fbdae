package prove_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warp/internal/core/redfirst"
	"warp/internal/engine/prove"
	"warp/internal/sys/git"
	"warp/internal/testkit/gittest"
	"warp/internal/testkit/need"
	"warp/internal/testkit/rooms"
)

// yard is a project whose calc.sh can add, and its desk.
func yard(t *testing.T) (root string, desk prove.Desk) {
	t.Helper()
	root = t.TempDir()
	gittest.Sh(t, root, `git init -q -b main; git config user.name t; git config user.email t@example.invalid
printf 'case $1 in\nadd) echo $(($2 + $3)) ;;\n*) echo unknown >&2; exit 2 ;;\nesac\n' > calc.sh; echo ignored.txt > .gitignore; git add -A; git commit -qm base`)
	return root, prove.Desk{Rooms: rooms.Open(t, root), Base: gittest.Sh(t, root, "git rev-parse HEAD"), Environ: os.Environ(), State: t.TempDir(), Project: root}
}

func treeOf(t *testing.T, root, commit string) string {
	t.Helper()
	tree, err := (git.Repo{Dir: root}).Trees().Of(t.Context(), commit)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

const divides = `have=$(sh calc.sh div 6 3) || have=error
[ "$have" = 2 ] || { echo "example 1: div 6 3: expected 2, got $have"; exit 1; }
`

func newCheck(id, script string, kinds ...redfirst.Kind) redfirst.Criterion {
	return redfirst.Criterion{ID: id, Kinds: kinds, Contract: "div 6 3 prints 2", Command: "sh warp_a.sh", Files: []redfirst.File{{Path: "warp_a.sh", Content: script}}}
}

// What a check has to do before the work: red on a stub by its own assertion, or green on the base.
func TestChecksBeforeTheWork(t *testing.T) {
	root, desk := yard(t)
	desk.Base = treeOf(t, root, "HEAD")
	stub := []redfirst.File{{Path: "calc.sh", Content: "case $1 in\nadd) echo $(($2 + $3)) ;;\ndiv) ;;\nesac\n"}}
	wavers := filepath.Join(t.TempDir(), "count")
	for _, c := range []struct {
		what  string
		check redfirst.Criterion
		stub  []redfirst.File
		want  string
	}{
		{"red on the stub", newCheck("AC-01", divides, redfirst.New), stub, ""},
		{"passes whatever is there", newCheck("AC-01", "true\n", redfirst.New), stub, "it passes on the stub, so it proves nothing"},
		{"does not run", newCheck("AC-01", "exec no-such-program\n", redfirst.New), stub, "it does not run on the stub"},
		{"differs", newCheck("AC-01", "echo >> "+wavers+"; [ $(wc -l < "+wavers+") = 2 ]\n", redfirst.New), stub, "its runs on the stub differ"},
		{"no stub", newCheck("AC-01", "true\n", redfirst.New), nil, "it passes on the code as it is now, since there is no stub"},
		{"stays", newCheck("AC-02", `[ "$(sh calc.sh add 1 2)" = 3 ]`, redfirst.Keeps), stub, ""},
		{"does not hold now", newCheck("AC-02", "exit 1", redfirst.Keeps), stub, "it fails on the code as it is now, and must pass before and after the work"},
		{"a file that is missing", newCheck("AC-03", "[ -e div.txt ] || { echo example 1: no div.txt; exit 1; }", redfirst.Shape), stub, ""},
		{"a file that is there", newCheck("AC-03", "[ -e calc.sh ]", redfirst.Shape), stub, "it passes on the code as it is now"},
	} {
		_, wrong, err := desk.Before(t.Context(), &redfirst.Set{Stub: c.stub}, c.check)
		if err != nil || (wrong == "") != (c.want == "") || !strings.Contains(wrong, c.want) {
			t.Errorf("%s: %q, %v, want %q", c.what, wrong, err, c.want)
		}
	}
	if have := gittest.Sh(t, root, "git status --porcelain; git count-objects"); !strings.HasPrefix(have, "4 objects") && !strings.HasPrefix(have, "5 objects") {
		t.Errorf("a check reached the project or its git folder: %s", have)
	}
}

// Each run of a check is one: Go would give the result of the first again.
func TestGoRunsEachTime(t *testing.T) {
	need.Tool(t, "go")
	root, desk := yard(t)
	gittest.Sh(t, root, "printf 'module example.com/a\n\ngo 1.23\n' > go.mod; git add -A; git commit -qm module")
	desk.Base = treeOf(t, root, "HEAD")
	count := filepath.Join(t.TempDir(), "count")
	check := newCheck("AC-01", `package warp_a

import (
	"os"
	"testing"
)

func TestA(t *testing.T) {
	text, _ := os.ReadFile("`+count+`")
	if os.WriteFile("`+count+`", append(text, 'x'), 0o600); len(text) == 1 {
		t.Error("the second time")
	}
}
`, redfirst.Keeps)
	cache := gittest.Sh(t, root, "go env GOCACHE") // that of the room is empty
	check.Files[0].Path, check.Command = "warp_a/a_test.go", "GOCACHE="+cache+" go test ./warp_a"
	if ran, wrong, err := desk.Before(t.Context(), &redfirst.Set{}, check); err != nil || wrong != "its runs on the code as it is now differ" {
		t.Errorf("%q, %v: %+v", wrong, err, ran)
	}
}

// A check lies over the tree only while it runs, and follows no link of the work.
func TestWhatIsLaidOverATree(t *testing.T) {
	root, desk := yard(t)
	outside := t.TempDir()
	gittest.Sh(t, root, "printf 'case $1 in div) echo $(($2 / $3)) ;; esac\n' > calc.sh; ln -s "+outside+" out; git add -A; git commit -qm work")
	work := treeOf(t, root, "HEAD")
	ran, err := desk.Run(t.Context(), work, newCheck("AC-01", divides, redfirst.New), nil, 1)
	if err != nil || ran.Outcome != redfirst.Green {
		t.Errorf("%+v, %v", ran, err)
	}
	after := newCheck("AC-01", "", redfirst.New)
	after.Files, after.Command = nil, "[ ! -e warp_a.sh ]"
	if ran, err := desk.Run(t.Context(), work, after, nil, 1); err != nil || ran.Outcome != redfirst.Green {
		t.Errorf("it is still there: %+v, %v", ran, err)
	}
	led := newCheck("AC-01", divides, redfirst.New)
	led.Files[0].Path = "out/warp_a.sh"
	if _, err := desk.Run(t.Context(), work, led, nil, 1); err == nil {
		t.Error("a link out of the room was followed")
	}
	if list, err := os.ReadDir(outside); err != nil || len(list) > 0 {
		t.Error(list, err)
	}
}

// A checker's room gives back what it wrote there, and nothing that was there before.
func TestWhatACheckerLeft(t *testing.T) {
	_, desk := yard(t)
	room, err := desk.Rooms(t.Context(), desk.Base, desk.Base)
	if err != nil {
		t.Fatal(err)
	}
	defer room.Leave()
	gittest.Sh(t, room.Top(), "mkdir -p node_modules; echo > node_modules/installed.js")
	before, err := room.Left(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	gittest.Sh(t, room.Top(), "mkdir warp_a_ac01; echo check > warp_a_ac01/x_test.go; chmod 755 warp_a_ac01/x_test.go; echo stub >> calc.sh; echo > ignored.txt; ln -s /etc/passwd warp_a_link; rm .gitignore; mkdir .claude; echo > .claude/x")
	files, err := prove.ReadLeft(t.Context(), room, before)
	var names []string
	for _, f := range files {
		names = append(names, f.Path)
	}
	slices.Sort(names)
	if want := []string{"calc.sh", "ignored.txt", "warp_a_ac01/x_test.go"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%q, %v", names, err)
	}
	for _, f := range files {
		if f.Run != (f.Path == "warp_a_ac01/x_test.go") || f.Path == "calc.sh" && !strings.HasSuffix(f.Content, "stub\n") {
			t.Errorf("%+v", f)
		}
	}
}

func TestChecksAreKept(t *testing.T) {
	_, desk := yard(t)
	if s, err := desk.Load("7"); s != nil || err != nil {
		t.Error(s, err)
	}
	s, err := prove.NewSet("7", prove.Key([]string{"AC-01 a"}))
	if err != nil || s.Token == "" || s.Key == prove.Key([]string{"AC-01 b"}) {
		t.Fatal(s, err)
	}
	s.Criteria = []redfirst.Criterion{newCheck("AC-01", divides, redfirst.New)}
	if err := desk.Save(s); err != nil {
		t.Fatal(err)
	}
	if have, err := desk.Load("7"); err != nil || have.Token != s.Token || have.Of("AC-01").Files[0].Content != divides {
		t.Errorf("%+v, %v", have, err)
	}
	other := desk
	other.Project += "2"
	if have, err := other.Load("7"); have != nil || err != nil {
		t.Error("another project's", have, err)
	}
	list, err := os.ReadDir(desk.Folder())
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if err := os.WriteFile(filepath.Join(desk.Folder(), list[0].Name()), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := desk.Load("7"); err == nil || !strings.Contains(err.Error(), "reading the checks of #7") {
		t.Error(err)
	}
	if err := (prove.Desk{}).Save(s); err == nil {
		t.Error("nowhere to keep them")
	}
	if have, err := (prove.Desk{}).Load("7"); have != nil || err != nil {
		t.Error(have, err)
	}
}
