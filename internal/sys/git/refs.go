package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/durable"
)

// Head returns the commit that is checked out, "" on an unborn branch.
func (r Repo) Head() (string, error) {
	if p, ok := Locate(r.Dir); ok {
		if hash := p.head(); hash != "" {
			return hash, nil
		}
	}
	sha, found, err := r.maybe("rev-parse", "--verify", "-q", "HEAD")
	if err != nil || found {
		return sha, err
	}
	branch, err := r.askBranch()
	if err != nil {
		return "", err
	}
	if branch != "" {
		if exists, err := r.exists("refs/heads/" + branch); err != nil || !exists {
			return "", err
		}
	}
	return "", fmt.Errorf("reading HEAD in %s: it does not lead to a commit; run «git fsck» there", r.Dir)
}

// Branch returns the current branch, which may be unborn, or "" when HEAD is detached.
func (r Repo) Branch() (string, error) {
	if p, ok := r.files(); ok {
		if ref, ok := p.headRef(); ok && (ref == "" || strings.HasPrefix(ref, "refs/heads/")) {
			return strings.TrimPrefix(ref, "refs/heads/"), nil
		}
	}
	return r.askBranch()
}

// files returns git's folder if references can be read from its files. It only trusts the folder
// found when the repository was opened: an agent can create another one around the work tree.
func (r Repo) files() (Place, bool) {
	if r.root == nil {
		return Place{}, false
	}
	p := At(r.root.GitDir)
	return p, !p.hasReftable()
}

func (r Repo) askBranch() (string, error) {
	ref, _, err := r.maybe("symbolic-ref", "-q", "--", "HEAD")
	return strings.TrimPrefix(ref, "refs/heads/"), err
}

// Ref returns the hash of a reference, given in full or in any of git's short forms. An annotated
// tag resolves to what it tags. The error is ErrNoRef if there is none.
func (r Repo) Ref(name string) (string, error) {
	if !IsRef(name) {
		return "", fmt.Errorf("reading the reference %q in %s: %w; git does not allow such a name", name, r.Dir, ErrNoRef)
	}
	sha, known, err := "", false, error(nil)
	if p, ok := r.files(); ok {
		sha, known = p.readRef(r.root, name)
	}
	found := sha != ""
	if !known {
		sha, found, err = r.maybe("rev-parse", "--verify", "-q", name+"^{}")
	}
	if err == nil && !found {
		err = fmt.Errorf("reading the reference %q in %s: %w; «git show-ref» lists them", name, r.Dir, ErrNoRef)
	}
	return sha, err
}

// ownRefs are private to each work tree.
var ownRefs = []string{"refs/bisect/", "refs/worktree/", "refs/rewritten/"}

// readRef is Ref without a process, for a full name; hash is "" if there is none. It knows only
// references that are plain files with a hash, and those that do not exist. Git is asked about
// tags, packed objects, and files that git would not have written that way.
func (p Place) readRef(o *Root, name string) (hash string, known bool) {
	isOdd := func(part string) bool {
		return part == "" || part[0] == '.' || strings.HasSuffix(part, ".") || strings.HasSuffix(part, ".lock")
	}
	if !strings.HasPrefix(name, "refs/") || slices.ContainsFunc(strings.Split(name, "/"), isOdd) ||
		slices.ContainsFunc(ownRefs, func(own string) bool { return strings.HasPrefix(name, own) }) {
		return "", false
	}
	file := filepath.Join(p.common, filepath.FromSlash(name))
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		packed, err := durable.ReadPlain(filepath.Join(p.common, "packed-refs"))
		isNowhere := errors.Is(err, fs.ErrNotExist) || err == nil && !strings.Contains(string(packed), name)
		return "", isNowhere
	}
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	text, err := durable.ReadPlain(file)
	hash = strings.TrimSuffix(string(text), "\n")
	if err != nil || len(hash) != len(o.Zero) {
		return "", false
	}
	x, ok := o.loose(hash)
	return hash, ok && x.kind != "tag"
}

// IsRef reports whether a name can only be a reference: neither an option nor a revision
// expression. It replaces the «--» that rev-parse does not accept before a revision.
func IsRef(name string) bool {
	return name != "" && name[0] != '-' && !strings.Contains(name, "..") && !strings.Contains(name, "@{") &&
		!strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' || c == 0x7f || strings.ContainsRune(`~^:?*[\`, c) })
}

// exists checks the file first, because it is mostly there.
func (r Repo) exists(ref string) (bool, error) {
	if p, ok := r.files(); ok {
		if hash, err := p.resolve(ref); err == nil && IsHash(hash) && strings.Trim(hash, "0") != "" {
			return true, nil
		}
	}
	_, found, err := r.maybe("show-ref", "--verify", "-q", "--", ref)
	return found, err
}

// MainBranch returns the branch that work is merged into. It takes the first of: the branch that
// origin/HEAD points to, a local main, a local master, init.defaultBranch if that branch exists or
// is the unborn current one, the current branch, "main".
func (r Repo) MainBranch() (string, error) {
	if b, err := r.originHead(); b != "" || err != nil {
		return b, err
	}
	for _, b := range []string{"main", "master"} {
		if ok, err := r.exists("refs/heads/" + b); ok || err != nil {
			return b, err
		}
	}
	current, err := r.Branch()
	if err != nil {
		return "", err
	}
	preset, _, err := r.maybe("config", "--get", "init.defaultBranch")
	if err != nil {
		return "", err
	}
	if preset != "" && preset != current {
		if ok, err := r.exists("refs/heads/" + preset); ok || err != nil {
			return preset, err
		}
	}
	if current == "" {
		return "main", nil
	}
	return current, nil
}

// originHead also returns "" if origin/HEAD points to a branch that no longer exists, as it does
// after the server renamed it.
func (r Repo) originHead() (string, error) {
	const prefix = "refs/remotes/origin/"
	if p, ok := r.files(); ok {
		if _, err := os.Lstat(filepath.Join(p.common, filepath.FromSlash(prefix), "HEAD")); errors.Is(err, fs.ErrNotExist) {
			return "", nil // git packs no symbolic references
		}
	}
	ref, _, err := r.maybe("symbolic-ref", "-q", "--", prefix+"HEAD")
	b, ok := strings.CutPrefix(ref, prefix)
	if err != nil || !ok || b == "" {
		return "", err
	}
	if ok, err := r.exists(ref); !ok || err != nil {
		return "", err
	}
	return b, nil
}

// MergeStrategy returns "no-ff" if the user has set merge.ff to false, and "ff-only" otherwise.
func (r Repo) MergeStrategy() (string, error) {
	if _, isSet, err := r.maybe("config", "--get", "merge.ff"); err != nil {
		return "", err
	} else if !isSet {
		return "ff-only", nil
	}
	// Let git decide what counts as false. It fails on «only», which is not false.
	a, err := r.Run(context.Background(), Call{Args: []string{"config", "--bool", "--get", "merge.ff"}})
	if err == nil && a.Exit == 0 && strings.TrimSpace(string(a.Stdout)) == "false" {
		return "no-ff", nil
	}
	return "ff-only", err
}

// Alias returns the command that a git alias stands for.
func (r Repo) Alias(name string) (string, bool) {
	if strings.ContainsAny(name, "\n=") {
		return "", false
	}
	value, found, err := r.maybe("config", "--get", "alias."+name)
	return value, found && err == nil
}
