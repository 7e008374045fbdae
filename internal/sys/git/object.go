package git

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Objects reads and writes loose objects, and checks that their content matches their name. Package
// gitobject implements it.
type Objects interface {
	Read(folder, name string) (kind string, text []byte, ok bool)
	Write(folder, kind string, text []byte, length int) (name string, err error)
	Name(kind string, text []byte, length int) string
	Sum(text []byte) string // a collision-resistant checksum
}

// Use makes all copies of the root read loose objects without a process. Git is asked about the
// rest.
func (o Root) Use(x Objects) {
	if o.memory != nil {
		o.memory.mu.Lock()
		defer o.memory.mu.Unlock()
		o.memory.objects = x
	}
}

// objects returns the implementation to use, nil to ask git.
func (o Root) objects() Objects {
	if o.memory == nil {
		return nil
	}
	o.memory.mu.Lock()
	defer o.memory.mu.Unlock()
	return o.memory.objects
}

type object struct {
	kind string
	text []byte
}

// loose reads a loose object.
func (o Root) loose(name string) (found object, ok bool) {
	x := o.objects()
	if x == nil || !IsHash(name) || len(name) != len(o.Zero) {
		return object{}, false
	}
	found.kind, found.text, ok = x.Read(filepath.Join(o.Common(), "objects"), name)
	return found, ok
}

// object is loose with a cache, for commits and trees, which are read repeatedly.
func (o Root) object(name string) (found object, ok bool) {
	if was, known := o.memory.get("object " + name); known {
		kind, text, _ := bytes.Cut(was, []byte{0})
		return object{string(kind), text}, true
	}
	if found, ok = o.loose(name); ok {
		o.memory.set("object "+name, slices.Concat([]byte(found.kind), []byte{0}, found.text))
	}
	return found, ok
}

// Put writes an object and returns its hash.
func (o Root) Put(ctx context.Context, kind string, text []byte) (name string, err error) {
	if x := o.objects(); x != nil && len(text) < mostAnswer {
		if name, err := x.Write(filepath.Join(o.Common(), "objects"), kind, text, len(o.Zero)); err == nil {
			return name, nil
		}
	}
	out, err := Repo{Dir: o.Top}.Must(ctx, Call{Args: []string{"hash-object", "-t", kind, "-w", "--stdin"}, Stdin: text})
	return strings.TrimSpace(string(out)), err
}

// Kind returns the kind of an object, by its full hash.
func (o Root) Kind(ctx context.Context, name string) (string, error) {
	if x, ok := o.loose(name); ok {
		return x.kind, nil
	}
	out, err := Repo{Dir: o.Top}.Must(ctx, Call{Args: []string{"cat-file", "-t", name}})
	return strings.TrimSpace(string(out)), err
}

// CommitText encodes a commit by warp itself at a given time in seconds. The same input gives the
// same object on every machine.
func CommitText(tree string, parents []string, seconds, message string) []byte {
	var b strings.Builder
	b.WriteString("tree " + tree + "\n")
	for _, p := range parents {
		b.WriteString("parent " + p + "\n")
	}
	who := " warp <warp@localhost> " + seconds + " +0000\n"
	b.WriteString("author" + who + "committer" + who + "\n" + message + "\n")
	return []byte(b.String())
}

// commitObject is a parsed commit.
type commitObject struct {
	tree, message string
	seconds       string // when it was committed
	parents       []string
}

// Describe formats a commit as «git log» does: its hash, tree, commit time in seconds and parents,
// one per line, then its message.
func (o Root) Describe(ctx context.Context, commit string) (string, error) {
	if x, ok := o.object(commit); ok && x.kind == "commit" {
		if c, ok := readCommit(x.text); ok && c.seconds != "" {
			return strings.TrimSpace(strings.Join([]string{commit, c.tree, c.seconds, strings.Join(c.parents, " "), c.message}, "\n")), nil
		}
	}
	out, err := o.Repo(o.Top).About(ctx, Call{Args: []string{"log", "-1", "--no-show-signature", "--format=%H%n%T%n%ct%n%P%n%B", "--end-of-options", commit + "^{commit}", "--"}}, commit)
	return strings.TrimSpace(string(out)), err
}

// readCommit parses a commit whose message is plain UTF-8. Git reads the tree from the first line
// and parents from those right below it. An agent can write a commit that names more further down;
// ok is false for that, so that git is asked.
func readCommit(text []byte) (c commitObject, ok bool) {
	head, message, found := strings.Cut(string(text), "\n\n")
	lines := strings.Split(head, "\n")
	if c.tree, ok = strings.CutPrefix(lines[0], "tree "); !ok || !IsHash(c.tree) {
		return commitObject{}, false
	}
	for i, line := range lines[1:] {
		key, value, _ := strings.Cut(line, " ")
		switch {
		case key == "parent" && len(c.parents) == i && len(value) == len(c.tree) && IsHash(value):
			c.parents = append(c.parents, value)
		case key == "tree" || key == "parent" || key == "encoding" || key == "committer" && c.seconds != "":
			return commitObject{}, false
		case key == "committer": // NAME <EMAIL> SECONDS ZONE
			if f := strings.Fields(value[strings.LastIndex(value, ">")+1:]); len(f) == 2 && len(f[0]) < 12 && strings.Trim(f[0], "0123456789") == "" {
				c.seconds = f[0]
			}
		}
	}
	c.message = message
	return c, found && utf8.ValidString(message) && !bytes.Contains(text, []byte{0})
}

// mostSteps bounds how far follow goes back.
const mostSteps = 500

// follow goes back from a commit to another while every commit has one parent. It returns the
// commits that until lacks, newest first; git handles other histories.
func (o Root) follow(from, until string) (list []Commit, ok bool) {
	if from == until || o.isShallow() { // it is unknown whether it exists, or has all its parents
		return nil, false
	}
	for at := from; len(list) < mostSteps; {
		if at == until {
			return list, true
		}
		x, found := o.object(at)
		if !found || x.kind != "commit" {
			return nil, false
		}
		c, plain := readCommit(x.text)
		if !plain || len(c.parents) != 1 {
			return nil, false
		}
		list, at = append(list, Commit{at, strings.TrimSpace(c.message)}), c.parents[0]
	}
	return nil, false
}

// memory caches facts about objects by hash, which never change. All copies of a Root share it.
type memory struct {
	mu    sync.Mutex
	known map[string][]byte
	size  int

	objects Objects // nil to ask git
}

const (
	mostKept   = 16 << 20 // bytes of all answers
	mostAnswer = 256 << 10
)

func (m *memory) get(key string) ([]byte, bool) {
	if m == nil {
		return nil, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	answer, ok := m.known[key]
	return bytes.Clone(answer), ok
}

func (m *memory) set(key string, answer []byte) {
	if m == nil || len(answer) > mostAnswer {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || m.size > mostKept {
		m.known, m.size = map[string][]byte{}, 0
	}
	m.known[key] = bytes.Clone(answer)
	m.size += len(key) + len(answer)
}

// About is Must for a question about objects. If all are named by full hash, the answer never
// changes and is cached.
func (r Repo) About(ctx context.Context, c Call, objects ...string) ([]byte, error) {
	m := r.memory()
	if slices.ContainsFunc(objects, func(name string) bool { return !IsHash(name) }) {
		m = nil
	}
	key := strings.Join(c.Args, "\x00")
	if answer, ok := m.get(key); ok {
		return answer, nil
	}
	out, err := r.Must(ctx, c)
	if err == nil {
		m.set(key, out)
	}
	return out, err
}

func (r Repo) memory() *memory {
	if r.root == nil {
		return nil
	}
	return r.root.memory
}

// MakeOnce makes an object from others, named by hash in key, unless it was made before and still
// exists: git may collect unreferenced objects.
func (o Root) MakeOnce(key string, make func() (hash string, err error)) (string, error) {
	if was, ok := o.memory.get("made " + key); ok && isLoose(filepath.Join(o.Common(), "objects"), string(was)) {
		return string(was), nil
	}
	hash, err := make()
	if err == nil {
		o.memory.set("made "+key, []byte(hash))
	}
	return hash, err
}

// isLoose reports whether an object is a loose object in a folder of objects.
func isLoose(objects, hash string) bool {
	if !IsHash(hash) {
		return false
	}
	info, err := os.Lstat(filepath.Join(objects, hash[:2], hash[2:]))
	return err == nil && info.Mode().IsRegular()
}
