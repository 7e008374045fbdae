package gate

import (
	"slices"
	"testing"

	"warp/internal/core/scope"
)

// What no one asked for is read from the trees, whatever the work tree holds.
func TestUnaskedIsFoundInTrees(t *testing.T) {
	y := newYard(t)
	y.sh(`for i in $(seq 40); do echo "line $i"; done > poem.txt; git add -A; git commit -qm poem`)
	base := y.sh("git rev-parse 'HEAD^{tree}'")
	y.sh(`sed -i 's/^/  /' poem.txt; echo two >> code.txt; printf 'a\0b' > blob.bin; chmod 755 code.txt; echo x > SUMMARY.md; git add -A; git commit -qm work; git rm -qr . ; git checkout -q HEAD -- test.sh`)
	tree := y.sh("git rev-parse 'HEAD^{tree}'")
	list, err := FindUnasked(t.Context(), y.repo(), base, tree, scope.Asked{Criteria: []string{"`code.txt` has a second line"}, Issue: "More code"})
	if err != nil {
		t.Fatal(err)
	}
	names := scope.Names(list)
	for _, want := range []string{"poem.txt", "blob.bin", "SUMMARY.md"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not found in %v", want, list)
		}
	}
	if slices.Contains(names, "code.txt") {
		t.Errorf("a criterion names it: %v", list)
	}
	for _, from := range []string{"", tree} {
		if list, err := FindUnasked(t.Context(), y.repo(), from, tree, scope.Asked{}); err != nil || len(list) > 0 {
			t.Errorf("from %q: %v, %v", from, list, err)
		}
	}
	if _, err := FindUnasked(t.Context(), y.repo(), "0123456789012345678901234567890123456789", tree, scope.Asked{}); err == nil {
		t.Error("a tree that is not there")
	}
}

func TestIgnoredFilesOneByOne(t *testing.T) {
	y := newYard(t)
	y.sh(`echo > debug.log; mkdir -p cache sub .claude; echo > cache/one; echo > sub/run.log; echo > .claude/x.log; echo > plain.txt`)
	list, err := ListIgnoredFiles(t.Context(), y.repo())
	slices.Sort(list)
	if err != nil || !slices.Equal(list, []string{"debug.log", "sub/run.log"}) {
		t.Errorf("%q, %v", list, err)
	}
}
