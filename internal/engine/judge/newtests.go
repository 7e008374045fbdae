package judge

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"warp/internal/core/lazy"
	"warp/internal/core/suite"
	"warp/internal/core/testintegrity"
	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// refuseHelpers refuses new test files that make other tests pass: they repair the source, or stub
// assertions, while they run. Without what they contain, tests fail that passed before and that no
// other change explains. A drive once left this to its verifier.
func (o *comparison) refuseHelpers(ctx context.Context, old TestRun, f *Finding) error {
	added := o.newTestFiles()
	unexplained := func(name string) bool {
		if o.before.Named == nil { // it is a file's
			return !o.isExplained(added, "")
		}
		return !o.isAllowed(name) && !o.isExplained(added, name)
	}
	if len(added) == 0 || !o.now.Result.Passed || old.Result.Passed || !slices.ContainsFunc(f.Changed, unexplained) {
		return nil
	}
	run, err := o.runWithout(ctx, added)
	if err != nil || run.Result.Passed {
		return err
	}
	if o.before.Named == nil || run.Named == nil {
		if o.before.Result.Passed && !o.isExplained(added, "") {
			f.block(added, "%s passes only with what these new files contain, which makes other tests pass: %s", o.Command.Line, text.Quote(added, 5))
		}
		return nil
	}
	d := suite.Compare(o.before.Named, run.Named)
	helped := slices.DeleteFunc(slices.Concat(d.Failed, d.Vanished), func(name string) bool {
		return !slices.Contains(f.Changed, name) || !unexplained(name)
	})
	if len(helped) > 0 {
		f.Changed = text.Without(f.Changed, helped)
		f.block(added, "new test files make other tests pass, which fail without them (%s): %s", text.Quote(added, 5), text.Quote(helped, 10))
	}
	return nil
}

// newTestFiles returns the code that the work adds to the tests.
func (o *comparison) newTestFiles() (added []string) {
	for _, ch := range o.list {
		if ch.Status == 'A' && slices.Contains(o.tests, ch.Path) && testintegrity.IsTest(ch.Path) {
			added = append(added, ch.Path)
		}
	}
	return added
}

// isExplained reports whether another change than the new files may explain why a test fails without
// them: its own file changed, or a changed file names one of them, as for a helper that was
// extracted. Without a name it asks about all tests.
func (o *comparison) isExplained(added []string, name string) bool {
	return slices.ContainsFunc(o.list, func(ch git.Change) bool {
		if ch.Status == 'A' || ch.Status == 'D' || !slices.Contains(o.tests, ch.Path) {
			return false
		}
		if name != "" && o.contains(path.Clean(cmp.Or(ch.OldPath, ch.Path)), name) {
			return true
		}
		content, err := o.Repo.Trees().Content(o.c.Tree, ch.Path, maxTestFile)
		return err == nil && slices.ContainsFunc(added, func(file string) bool { return strings.Contains(string(content), stem(file)) })
	})
}

// stem returns the part of a file's name by which other files import it.
func stem(file string) string {
	base, _, _ := strings.Cut(path.Base(file), ".")
	return base
}

// runWithout runs the tests on the work with files that contain nothing. They stay, since a test may
// require that there is one for each module.
func (o *comparison) runWithout(ctx context.Context, files []string) (TestRun, error) {
	tree := o.c.Tree
	for _, file := range files {
		content, err := o.Repo.Trees().Content(o.c.Tree, file, maxTestFile)
		if err != nil {
			return TestRun{}, err
		}
		if tree, err = o.putFile(ctx, tree, file, emptyTest(file, content)); err != nil {
			return TestRun{}, err
		}
	}
	return o.Run(ctx, tree)
}

var packageClause = lazy.Pattern{Text: `(?m)^package [\w.]+;?`}

// emptyTest returns a test file without tests that its runner accepts.
func emptyTest(file string, content []byte) string {
	switch path.Ext(file) {
	case ".go", ".java", ".kt":
		return packageClause.Get().FindString(string(content)) + "\n"
	case ".js", ".cjs", ".mjs", ".ts", ".jsx", ".tsx", ".cts", ".mts": // some runners refuse a file without a test
		return "if (typeof test === 'function') test('', () => {});\n"
	}
	return ""
}

// putFile returns a tree with another content of one file.
func (o *comparison) putFile(ctx context.Context, tree, file, content string) (string, error) {
	root, err := o.Repo.Root()
	if err != nil {
		return "", err
	}
	hash, err := root.Put(ctx, "blob", []byte(content))
	entry := git.TreeEntry{Mode: "100644", Hash: hash}
	for name := file; err == nil && name != "."; name = path.Dir(name) {
		entry.Path = path.Base(name)
		entry.Hash, err = root.PutTree(ctx, []git.TreeEntry{entry})
		entry.Mode = "040000"
	}
	if err != nil {
		return "", err
	}
	return o.Repo.Trees().Graft(ctx, tree, entry.Hash, []string{file})
}

// refuseRewriting refuses tests that change the project's source while they run, where they did not
// before: they test what they wrote.
func (o *comparison) refuseRewriting(f *Finding) {
	files := slices.DeleteFunc(text.Without(o.now.Rewritten, o.before.Rewritten), func(file string) bool {
		return suite.IsTest(file) || !testintegrity.IsCode(file)
	})
	if len(o.tests) > 0 && len(files) > 0 {
		f.block(nil, "files of the project change while the tests run, and did not before: %s; a test must not change what it tests", text.Quote(files, 5))
	}
}
