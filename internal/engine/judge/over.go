package judge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/core/redfirst"
	"warp/internal/core/suite"
	"warp/internal/core/testoutput"
)

// The tests can run on a tree with files laid over it: checks that will join its commit.

// RunOver runs the tests on a tree with files laid over it, in rooms alone. The run is that of the
// tree with these files, which may be at fault if it fails.
func (t *Tests) RunOver(ctx context.Context, tree string, c Command, over []redfirst.File) (TestRun, error) {
	with := &Tests{Command: t.Command, Site: t.Site, Repo: t.Repo, Prefix: t.Prefix, Protected: t.Protected}
	with.Site.Over = over
	ran, err := with.run(ctx, tree, c)
	if err == nil {
		t.saveRun(nameOver(tree, over), ran)
	}
	return ran, err
}

// nameOver names a tree with files laid over it.
func nameOver(tree string, over []redfirst.File) string {
	sum := sha256.New()
	for _, f := range over {
		fmt.Fprintf(sum, "%q %q\n", f.Path, f.Content)
	}
	return tree + "+" + hex.EncodeToString(sum.Sum(nil))
}

// TestsOver returns which tests of each of the files ran and passed over a tree, and whether others
// that passed on base are lost: they failed, were skipped or did not run.
func (t *Tests) TestsOver(tree string, over []redfirst.File, base string) (passed map[string]bool, loses bool) {
	ran, _ := t.loadRun(nameOver(tree, over))
	before, _ := t.loadRun(base)
	added := maps.Clone(ran.Named)
	maps.DeleteFunc(added, func(name string, _ testoutput.Result) bool { _, was := before.Named[name]; return was })
	passed = map[string]bool{}
	for _, f := range over {
		passed[f.Path] = added.HasTestsOf(t.inProject(f.Path), f.Content)
	}
	d := suite.Compare(before.Named, ran.Named)
	return passed, len(d.Failed)+len(d.Vanished)+len(d.Skipped) > 0
}

// TakeForTree has the run of a tree with files laid over it stand for the tree alone, in this process
// only, without the tests of the files: what judges the tree compares it with base.
func (t *Tests) TakeForTree(tree string, over []redfirst.File, base string) {
	ran, known := t.loadRun(nameOver(tree, over))
	before, _ := t.loadRun(base)
	ran.Named = maps.Clone(ran.Named)
	maps.DeleteFunc(ran.Named, func(name string, _ testoutput.Result) bool {
		_, was := before.Named[name]
		return !was && slices.ContainsFunc(over, func(f redfirst.File) bool { return testoutput.IsTestOf(name, t.inProject(f.Path), f.Content) })
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	if known {
		t.runs[t.cacheKey(tree)] = ran
	}
}

// TakeForCommit makes the run of a tree with files laid over it that of a tree that has them.
func (t *Tests) TakeForCommit(tree string, over []redfirst.File, commit string) {
	if ran, known := t.loadRun(nameOver(tree, over)); known {
		t.saveRun(commit, ran)
	}
}

// Forget has the tests run on a tree even if a run is known.
func (t *Tests) Forget(tree string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := t.cacheKey(tree)
	delete(t.runs, key)
	if t.CacheDir != "" {
		_ = os.Remove(filepath.Join(t.CacheDir, key+".json")) // what stays is that of the tree alone
	}
}

// inProject makes a path relative to the project's folder.
func (t *Tests) inProject(name string) string {
	if t.Prefix == "" {
		return name
	}
	return strings.TrimPrefix(name, t.Prefix+"/")
}

// DecidesHow reports whether a file would decide how the tests run.
func (t *Tests) DecidesHow(name string) bool {
	return criteria.MatchesAny(suite.RunnerFiles(t.Command.Line, t.readFiles(t.Site.Base), t.Protected), t.inProject(name))
}
