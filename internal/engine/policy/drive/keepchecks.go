package drive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/redfirst"
	"warp/internal/core/suite"
	"warp/internal/engine/gate"
	"warp/internal/engine/judge"
	"warp/internal/sys/git"
)

// With checks: auto, a check that turned green joins the commit of its chunk, byte for byte, where
// the project's own command runs it. Until the commit it is laid over the tree in a room only: a
// coder whose work is sent back must not find it in the work tree or among git's objects.

// keptCheck is a check at the place where it joins the project.
type keptCheck struct {
	id   string
	file redfirst.File
}

type keptChecks []keptCheck

func (k keptChecks) ids() (ids []string) {
	for _, one := range k {
		ids = append(ids, one.id)
	}
	return ids
}

func (k keptChecks) files() (files []redfirst.File) {
	for _, one := range k {
		files = append(files, one.file)
	}
	return files
}

// listKeepable returns the checks that can join the chunk's commit, whose tree is given: they are
// green on it, have a place of their own among the project's tests, and the project's tests are
// named, or nothing would show that one runs.
func listKeepable(t *turn, commit string) (list keptChecks, err error) {
	if t.cfg.Checks != "auto" || wasDoneBefore(t) {
		return nil, nil
	}
	set, err := checksOf(t)
	if set == nil || err != nil {
		return nil, err
	}
	if _, err := testSuite(t); err != nil || t.tests == nil {
		return nil, err
	}
	base, err := baseOfChunk(t)
	if err != nil {
		return nil, err
	}
	before, known := t.tests.Known(base)
	if !known {
		return nil, nil
	}
	names, err := t.repo().Trees().Files(commit)
	if err != nil {
		return nil, err
	}
	for _, id := range t.s.Chunk.Present() {
		c := set.Of(id)
		if c == nil || !c.Runs() || c.KeepAs == "" {
			continue
		}
		if last, ran := lastWork(t, id); !ran || !last.Row.Passed || last.Row.Tree != commit {
			continue
		}
		why, err := refusePlace(t, c, append(names, list.paths()...))
		if err != nil {
			return nil, err
		}
		if before.Named == nil {
			why = "the output of " + suiteCommand(t.Engine) + " does not name its tests, so nothing would show that they run"
		}
		if why != "" {
			if err := dropPlace(t, set, []string{id}, why); err != nil {
				return nil, err
			}
			continue
		}
		f := c.Files[0]
		f.Path = placeOf(t, c)
		list = append(list, keptCheck{id, f})
	}
	return list, nil
}

func (k keptChecks) paths() (list []string) {
	for _, one := range k {
		list = append(list, one.file.Path)
	}
	return list
}

// baseOfChunk returns the tree that the chunk's commit follows.
func baseOfChunk(t *turn) (string, error) {
	head, err := t.repo().Head()
	if err != nil {
		return "", err
	}
	return gate.TreeOf(context.Background(), t.repo(), head)
}

// placeOf returns where a check joins the project, relative to the top of the work tree. A checker
// works in the project's folder, which may be below the top.
func placeOf(t *turn, c *redfirst.Criterion) string {
	folder := t.Work.Root().Folder()
	if folder == "" || strings.HasPrefix(c.KeepAs, folder+"/") {
		return c.KeepAs
	}
	return path.Join(folder, c.KeepAs)
}

// refusePlace returns why a check cannot join the project at its place, or "". It does not name the
// place, which a session reads before the commit.
func refusePlace(t *turn, c *redfirst.Criterion, names []string) (string, error) {
	at := placeOf(t, c)
	switch {
	case !suite.IsTest(at):
		return "its place is none of a test, by the conventions of its language", nil
	case !git.IsPlainPath(at):
		return "git does not take its place on every system", nil
	case t.tests.DecidesHow(at):
		return "a file at its place decides how tests run", nil
	case slices.ContainsFunc(names, func(name string) bool {
		return strings.EqualFold(name, at) || strings.HasPrefix(name, at+"/") || strings.HasPrefix(at, name+"/")
	}):
		return "its place is taken", nil
	}
	top := git.Repo{Dir: t.Work.Top()}
	for dir := at; dir != "."; dir = path.Dir(dir) {
		info, err := os.Lstat(filepath.Join(top.Dir, filepath.FromSlash(dir)))
		if err == nil && (dir == at || !info.IsDir()) || errors.Is(err, syscall.ENOTDIR) {
			return "its place is taken", nil
		}
	}
	ignored, err := top.Run(context.Background(), git.Call{Args: []string{"check-ignore", "-q", "--", at}})
	if err != nil || ignored.Exit == 0 {
		return "git ignores its place", err
	}
	same, err := isStoredAs(top, at, c.Files[0].Content, c.Files[0].Content)
	if err == nil && !same {
		return "git would store it with other line ends, or through a filter", nil
	}
	return "", err
}

// isStoredAs reports whether git would store a file's bytes at a path as exactly this content.
func isStoredAs(top git.Repo, at, bytes, content string) (bool, error) {
	stored, err := top.Must(context.Background(), git.Call{Args: []string{"hash-object", "--stdin", "--path=" + at}, Stdin: []byte(bytes)})
	if err != nil {
		return false, err
	}
	raw, err := top.Must(context.Background(), git.Call{Args: []string{"hash-object", "--stdin", "--no-filters"}, Stdin: []byte(content)})
	return string(stored) == string(raw), err
}

// dropPlace leaves checks beside the evidence.
func dropPlace(t *turn, set *redfirst.Set, ids []string, why string) error {
	desk, err := proofDesk(t)
	if err != nil {
		return err
	}
	for _, id := range ids {
		set.Of(id).KeepAs = ""
	}
	t.remark("the checks of %s stay beside the evidence: %s", strings.Join(ids, ", "), why)
	return desk.Save(set)
}

// runTestsWithChecks runs the project's tests with the checks at their places. nil: the tests have to
// run without any. If they pass then, what is returned as blamed was at fault. Nothing that a run with
// checks printed is kept where a coder could read it.
func runTestsWithChecks(ctx context.Context, t *turn, tests gate.Suite, site judge.Site, list keptChecks, tree string) (passed *evidence.Tested, blamed keptChecks, err error) {
	set, err := checksOf(t)
	if err != nil || len(list) == 0 {
		return nil, nil, err
	}
	base, err := baseOfChunk(t)
	if err != nil {
		return nil, nil, err
	}
	tests.Again, tests.Log = true, func(string) (string, string) { return "", "" }
	for len(list) > 0 {
		t.tell(Note{Kind: Tested, Text: fmt.Sprintf("running %s with the checks of %s", tests.Command, strings.Join(list.ids(), ", "))})
		tests.Over = list.files()
		r, err := tests.Run(ctx, site, gate.Chunk, tree)
		if err != nil {
			return nil, nil, explainUnrun(err)
		}
		if before := findTest(t, gate.Baseline); before != nil {
			gate.Compare(*before, &r)
		}
		ran, loses := t.tests.TestsOver(site.Tree, tests.Over, base)
		if !r.Passed || loses {
			return nil, list, nil
		}
		var idle, run keptChecks
		for _, one := range list {
			if ran[one.file.Path] {
				run = append(run, one)
			} else {
				idle = append(idle, one)
			}
		}
		if len(idle) == 0 {
			t.tests.TakeForTree(site.Tree, tests.Over, base)
			r.With = list.ids()
			return &r, nil, nil
		}
		if err := dropPlace(t, set, idle.ids(), tests.Command+" does not run them at their places"); err != nil {
			return nil, nil, err
		}
		list = run
	}
	return nil, nil, nil
}

// joinChecks adds the checks that the tests ran with to what the chunk's commit will have, after
// everything has judged the chunk. It can be repeated: the engine may have died on the way.
func joinChecks(ctx context.Context, t *turn) error {
	for {
		last, known := evidence.Last(t.evidenceOfIssue(t.s).Tests, func(r evidence.Tested) bool { return r.Chunk == t.s.Chunk.Index && r.Stage == gate.Chunk && r.Passed })
		if !known || len(last.Row.With) == 0 {
			return nil
		}
		set, err := checksOf(t)
		if err != nil {
			return err
		}
		var files []git.NewFile
		for _, id := range last.Row.With {
			if c := set.Of(id); c != nil && c.KeepAs != "" && len(c.Files) == 1 {
				files = append(files, git.NewFile{Path: placeOf(t, c), Content: c.Files[0].Content, Run: c.Files[0].Run})
			}
		}
		why := ""
		if len(files) == len(last.Row.With) {
			if why, err = addToChunk(ctx, t, last.Row, files); err != nil {
				return err
			}
			if why == "" {
				return nil
			}
			if err := dropPlace(t, set, last.Row.With, why); err != nil {
				return err
			}
		}
		if t.tests != nil {
			t.tests.Forget(last.Row.Commit)
		}
		if err := testAgain(ctx, t, last.Row.Tree); err != nil { // without them
			return err
		}
	}
}

// addToChunk adds files to the chunk's tree, or returns why they cannot join it.
func addToChunk(ctx context.Context, t *turn, tested evidence.Tested, files []git.NewFile) (why string, err error) {
	var paths []string
	var over []redfirst.File
	for _, f := range files {
		over = append(over, redfirst.File{Path: f.Path, Content: f.Content, Run: f.Run})
		have, err := os.ReadFile(filepath.Join(t.Work.Top(), filepath.FromSlash(f.Path)))
		if err == nil { // written before the engine died, or by a person
			if same, err := isStoredAs(git.Repo{Dir: t.Work.Top()}, f.Path, string(have), f.Content); err != nil || !same {
				return "someone else wrote a file at their place", err
			}
		}
		paths = append(paths, f.Path)
	}
	var rows []any
	for i, id := range tested.With { // from here on a coder may find them, whatever happens
		rows = append(rows, evidence.Check{Issue: t.s.Issue(), Chunk: t.s.Chunk.Index, ID: id, Stage: evidence.CheckJoining, File: paths[i]})
	}
	t.recordEvidence(t.s, event.Check, rows...)
	next, err := t.repo().Trees().Add(ctx, tested.Tree, files)
	if err != nil {
		return "", err
	}
	if err := t.Leaks.Check(ctx, t.repo(), tested.Tree, next, t.remark); isSecrets(err) {
		return "they look as if they had secrets: " + err.Error(), nil
	} else if err != nil {
		return "", err
	}
	hooks, candidate, verdict, err := runCommitHooks(ctx, t, next)
	if err != nil {
		return "", err
	}
	if hooks && (!verdict.OK || verdict.Tree != candidate.Tree) {
		return "the repository's commit hooks reject or change them", nil
	}
	commit, err := t.lander.Preview(ctx, chunkChange(t, next))
	if err != nil {
		return "", err
	}
	if err := t.Work.Restore(ctx, next, paths, false); err != nil {
		return "they cannot be written at their places: " + err.Error(), nil
	}
	if err := t.acceptWorkTree(ctx); err != nil {
		return "", err
	}
	if _, err := testSuite(t); err != nil { // a drive that was taken over has opened none
		return "", err
	}
	t.tests.TakeForCommit(tested.Commit, over, commit)
	rows = nil
	for i, id := range tested.With {
		rows = append(rows, evidence.Check{Issue: t.s.Issue(), Chunk: t.s.Chunk.Index, ID: id, Stage: evidence.CheckJoined, File: paths[i]})
	}
	t.recordEvidence(t.s, event.Check, rows...)
	tested.With, tested.Tree, tested.Commit, tested.Reused = nil, next, commit, true
	keepTested(t, tested)
	t.remark("the checks of the chunk join its commit: %s", strings.Join(paths, ", "))
	t.pass("joined")
	return "", nil
}

// hasJoined reports whether the check of a criterion is or was in the repository, where any later
// coder may find it, in this session or an earlier one.
func hasJoined(t *turn, id string) bool {
	_, joined := evidence.Last(t.book.Page(t.s.Issue(), 0).Checks, func(r evidence.Check) bool { return r.ID == id && r.Stage == evidence.CheckJoining })
	return joined
}

// recordMetBefore records which criteria were met before the work: its coder, the verifier and a
// check that passed before the work all say so.
func recordMetBefore(t *turn) error {
	set, err := checksOf(t)
	if set == nil || err != nil {
		return err
	}
	page := t.evidenceOfIssue(t.s)
	for _, id := range doneBefore(t) {
		c := set.Of(id)
		said, judged := evidence.Last(page.Verdicts, func(v evidence.Verdict) bool { return v.ID == id && v.Chunk == t.s.Chunk.Index })
		_, told := evidence.Last(page.Checks, func(r evidence.Check) bool { return r.ID == id && r.Stage == evidence.CheckMetBefore })
		if c != nil && c.Already && judged && said.Row.Met && !told {
			t.recordEvidence(t.s, event.Check, evidence.Check{Issue: t.s.Issue(), Chunk: t.s.Chunk.Index, ID: id, Stage: evidence.CheckMetBefore})
		}
	}
	return nil
}
