package git

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warp/internal/sys/gitobject"
)

// openedAs is a repository of a kind, opened.
func openedAs(t *testing.T, initArgs ...string) (box, Root) {
	t.Helper()
	b := newBox(t, initArgs...)
	repo, root, err := OpenRoot(b.Dir)
	b.ok(err)
	root.Use(gitobject.Files{})
	b.Repo = repo
	return b, root
}

// layouts are work trees, as what each path holds: /PATH is a link, @ a submodule, +TEXT can
// be executed.
var layouts = []map[string]string{
	{},
	{"a": "1", "b": "1"},
	{"a": "2", "b": "1"},
	{"a": "+1", "b": "1"},
	{"a": "/b", "b": "1"},
	{"a/b": "1", "a.txt": "1", "a-b": "1"},
	{"a/b/c": "1", "a/b/d": "2", "a0": "1"},
	{"a/b": "1", "ab/c": "1", "b": "@"},
	{"moved": "1", "b": "1"},
	{"a/moved": "1", "äöü ?": "1", "b": "+1"},
}

func (b box) lay(layout map[string]string) string {
	b.t.Helper()
	entries, err := os.ReadDir(b.Dir)
	b.ok(err)
	for _, e := range entries {
		if e.Name() != ".git" {
			b.ok(os.RemoveAll(b.path(e.Name())))
		}
	}
	for name, what := range layout {
		switch what[0] {
		case '/':
			b.ok(os.Symlink(what[1:], b.path(name)))
		case '@':
			b.nested(name).git("-c", "user.name=a", "-c", "user.email=b", "commit", "-q", "--allow-empty", "-m", "m")
		case '+':
			b.write(name, what[1:])
			b.ok(os.Chmod(b.path(name), 0o755))
		default:
			b.write(name, what)
		}
	}
	tree, err := b.Snapshot()
	b.ok(err)
	return tree
}

// What is read from files is what git says, whether it has packed them or not.
func TestTreesAreReadAsGitReadsThem(t *testing.T) {
	notOnWindows(t)
	for _, kind := range []string{"sha1", "sha256"} {
		t.Run(kind, func(t *testing.T) {
			b, root := openedAs(t, "--object-format="+kind)
			var trees []string
			for _, l := range layouts {
				trees = append(trees, b.lay(l))
			}
			b.git("add", "-A")
			b.git("commit", "-q", "--allow-empty", "-m", "m")
			trees = append(trees, b.git("rev-parse", "HEAD"))
			asked := Repo{Dir: b.Dir}.Trees()
			for _, from := range trees {
				if tree, err := b.Trees().Of(t.Context(), from); err != nil || tree != b.git("rev-parse", from+"^{tree}") {
					t.Errorf("the tree of %s: %s, %v", from, tree, err)
				}
				for _, folder := range []string{".", "a", "a/b", "none", "none/b"} {
					got, err := b.Trees().Folder(from, folder)
					want, bad := asked.Folder(from, folder)
					if fmt.Sprint(got, err) != fmt.Sprint(want, bad) {
						t.Errorf("%s of %s: %v, %v, want %v, %v", folder, from, got, err, want, bad)
					}
				}
				for _, to := range trees {
					if _, ok := (treeReader{root}).differences(from, to); !ok {
						t.Errorf("%s and %s are not read without git", from, to)
					}
					for _, renames := range []bool{false, true} {
						got, err := b.Trees().Diff(t.Context(), from, to, renames)
						b.ok(err)
						want, err := asked.Diff(t.Context(), from, to, renames)
						b.ok(err)
						if !slices.Equal(got, want) {
							t.Errorf("from %v to %v, renames %v:\n%v, want\n%v", from, to, renames, got, want)
						}
					}
				}
			}
		})
	}
}

// An object that is not what its name says is left to git, which knows what to say of it.
func TestForgedObjectsAreNotRead(t *testing.T) {
	b, root := openedAs(t)
	b.write("f", "1")
	one := b.snap()
	b.write("f", "2")
	two := b.snap()
	files := map[string]string{}
	for _, hash := range []string{one, two} {
		files[hash] = filepath.Join(root.Common(), "objects", hash[:2], hash[2:])
	}
	other, err := os.ReadFile(files[two])
	b.ok(err)
	b.ok(os.Remove(files[one]))
	b.ok(os.WriteFile(files[one], other, 0o444))
	if _, ok := (treeReader{root}).tree(one); ok {
		t.Error("another tree was read under the name of the first")
	}
	b.ok(os.WriteFile(files[two]+"x", nil, 0o444))
	for _, name := range []string{"", "main", one[:39], two + "x", one + "000000000000000000000000"} {
		if _, ok := root.loose(name); ok {
			t.Errorf("%q was read", name)
		}
	}
}

// commits makes some with messages of every kind, and returns their hashes.
func (b box) commits() (hashes []string) {
	b.t.Helper()
	add := func(args ...string) {
		b.git(append([]string{"commit", "-q", "--allow-empty"}, args...)...)
		hashes = append(hashes, b.git("rev-parse", "HEAD"))
	}
	add("-m", "first")
	add("-m", "second", "-m", "With a body.\n\nAnd more: ä\n\nRefs: #1")
	add("--allow-empty-message", "-m", "")
	add("--cleanup=verbatim", "-m", "\n\n  indented \n\n")
	b.git("checkout", "-q", "-b", "side", hashes[1])
	add("-m", "aside")
	b.git("checkout", "-q", "main")
	b.git("merge", "-q", "--no-ff", "-m", "merged", "side")
	hashes = append(hashes, b.git("rev-parse", "HEAD"))
	add("-m", "after the merge")
	b.git("config", "i18n.commitEncoding", "ISO-8859-1")
	add("-m", "\xe4 in another encoding")
	b.git("config", "--unset", "i18n.commitEncoding")
	add("-m", "last")
	return hashes
}

func TestCommitsAreReadAsGitReadsThem(t *testing.T) {
	b, root := openedAs(t)
	hashes := b.commits()
	asked := Repo{Dir: b.Dir}
	for _, to := range hashes {
		for _, from := range hashes {
			got, err := b.Commits(to, from)
			b.ok(err)
			want, err := asked.Commits(to, from)
			b.ok(err)
			if !slices.Equal(got, want) {
				t.Errorf("what %s has and %s lacks:\n%q, want\n%q", to, from, got, want)
			}
			is, err := b.Descends(to, from)
			b.ok(err)
			was, err := asked.Descends(to, from)
			b.ok(err)
			if is != was {
				t.Errorf("%s descends from %s: %v, want %v", to, from, is, was)
			}
		}
	}
	for _, lack := range [][]string{{hashes[2], hashes[0]}, {hashes[0], hashes[2]}, {hashes[2], hashes[2]}, {hashes[2], hashes[4]}, {hashes[0], hashes[7]}} {
		got, err := b.Commits(hashes[3], lack...)
		b.ok(err)
		want, err := asked.Commits(hashes[3], lack...)
		b.ok(err)
		if !slices.Equal(got, want) {
			t.Errorf("what %v lack:\n%q, want\n%q", lack, got, want)
		}
	}
	if list, ok := root.follow(hashes[3], hashes[0]); !ok || len(list) != 3 {
		t.Errorf("%v, %v: git was asked", list, ok)
	}
	if list, ok := root.follow(hashes[6], hashes[1]); ok {
		t.Errorf("%v: a merge was followed", list)
	}
	b.write(".git/shallow", hashes[2]+"\n")
	if list, ok := root.follow(hashes[3], hashes[0]); ok {
		t.Errorf("%v: a shallow past was followed", list)
	}
}

// Git takes the tree and the parents of a commit from its first lines alone, and an agent can
// write what it likes below: the gates once saw one tree, and another was merged.
func TestForgedLinesOfACommitAreNotBelieved(t *testing.T) {
	b, _ := openedAs(t)
	b.write("a", "seen")
	base := b.commit()
	seen := strings.TrimSpace(b.git("rev-parse", "HEAD^{tree}"))
	b.write("a", "merged")
	b.git("add", "-A")
	merged := strings.TrimSpace(b.git("write-tree"))
	forge := func(lines ...string) string {
		hash, err := b.Must(t.Context(), Call{Args: []string{"hash-object", "-t", "commit", "-w", "--stdin"}, Stdin: []byte(strings.Join(lines, "\n") + "\n\nforged\n")})
		b.ok(err)
		return strings.TrimSpace(string(hash))
	}
	author, committer := "author a <a@b> 1 +0000", "committer a <a@b> 1 +0000"
	of, err := b.Trees().Of(t.Context(), forge("tree "+merged, "parent "+base, author, committer, "tree "+seen))
	if b.ok(err); of != merged {
		t.Error("the tree in a later line is taken")
	}
	is, err := b.Descends(forge("tree "+merged, author, committer, "parent "+base), base)
	if b.ok(err); is {
		t.Error("a parent in a later line is taken")
	}
}

// Six trees of ten entries, each of which is the next, hold a million files.
func TestTreesThatHoldTooMuchAreLeftToGit(t *testing.T) {
	b, root := openedAs(t)
	b.write("a", "content")
	base := b.commit()
	at := "100644 blob " + strings.TrimSpace(b.git("rev-parse", base+":a"))
	for range 6 {
		var lines strings.Builder
		for i := range 10 {
			fmt.Fprintf(&lines, "%s\t%d\n", at, i)
		}
		tree, err := b.Must(t.Context(), Call{Args: []string{"mktree"}, Stdin: []byte(lines.String())})
		b.ok(err)
		at = "040000 tree " + strings.TrimSpace(string(tree))
	}
	if list, ok := (treeReader{root}).differences(base, strings.TrimPrefix(at, "040000 tree ")); ok || len(list) > mostCompared {
		t.Errorf("%d differences were found", len(list))
	}
}

func TestFilesOfTheirOwnAreReadWithoutGit(t *testing.T) {
	b, _ := openedAs(t)
	b.write("f", "content")
	tree := b.snap()
	list, err := b.Trees().Folder(tree, ".")
	b.ok(err)
	blob := list[0].Hash
	t.Setenv("PATH", t.TempDir()) // there is no git
	sizes, err := b.Trees().Sizes(t.Context(), []string{blob})
	if err != nil || sizes[blob] != 7 {
		t.Errorf("%v, %v", sizes, err)
	}
	texts, err := b.Trees().Contents(t.Context(), []string{blob})
	if err != nil || string(texts[blob]) != "content" {
		t.Errorf("%q, %v", texts, err)
	}
	if text, known := b.Trees().known(tree); known {
		t.Errorf("a tree was read as a file: %q", text)
	}
}

func TestDescribeIsAsGitLogs(t *testing.T) {
	b, root := openedAs(t)
	_, asking, err := OpenRoot(b.Dir)
	b.ok(err)
	for _, commit := range b.commits() {
		have, err := root.Describe(t.Context(), commit)
		b.ok(err)
		want, err := asking.Describe(t.Context(), commit)
		b.ok(err)
		if have != want {
			t.Errorf("%q, git says %q", have, want)
		}
	}
}
