package worker

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/fleetfile"
	"warp/internal/testkit/gittest"
)

// Issues may be files of the repository: the list is that of today, and an older one only
// where the remote cannot be reached, which is said.
func TestIssuesThatWerePushedSinceAreListed(t *testing.T) {
	dir := gittest.Dir(t)
	gittest.Sh(t, dir, "git init -q --bare -b main shop.git; mkdir seed; cd seed\n"+gittest.Init+`echo '[{"number":1,"approved_by":"ada"}]' > issues.json
		git add .; git commit -q -m one; git push -q ../shop.git main`)
	warp := filepath.Join(dir, "warp")
	if err := os.WriteFile(warp, []byte("#!/bin/sh\ncat issues.json\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	w := &Worker{Folder: filepath.Join(dir, "work"), Warp: warp, Environ: os.Environ()}
	repo := fleetfile.Repository{Name: "shop", URL: filepath.Join(dir, "shop.git")}
	for _, c := range []struct {
		before string
		issues int
		old    string // "": it is not
	}{
		{"true", 1, ""},
		{`cd seed; echo '[{"number":1,"approved_by":"ada"},{"number":2,"approved_by":"ada"}]' > issues.json; git commit -q -a -m two; git push -q ../shop.git main`, 2, ""},
		{`cd seed; git reset -q --hard HEAD~1; echo '[]' > issues.json; git commit -q -a -m three; git push -q -f ../shop.git main`, 0, ""},
		{"mv shop.git away.git", 0, "the issues of shop may be out of date"},
	} {
		gittest.Sh(t, dir, c.before)
		list, old, err := w.listWork(t.Context(), repo, nil)
		if err != nil || len(list) != c.issues || (c.old == "") != (old == nil) || old != nil && !strings.Contains(old.Error(), c.old) {
			t.Errorf("%s: %v, %v, %v", c.before, list, old, err)
		}
	}
}
