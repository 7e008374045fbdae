package git

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/durable"
)

// transient are the kinds of references that fetches and git's own commands move. They are not a
// person's work.
var transient = []string{"remotes", "prefetch", "original", "bisect", "rewritten", "worktree"}

// Refs returns the commits of all local references. It reads files, because it runs around every
// run of an agent.
func (p Place) Refs(ctx context.Context) (map[string]string, error) {
	refs := map[string]string{}
	if p.hasReftable() {
		out, err := Repo{Dir: p.Top}.Must(ctx, Call{Args: []string{"for-each-ref", "--format=%(objectname) %(refname)"}})
		addRefs(refs, out)
		return refs, err
	}
	packed, err := durable.ReadPlain(filepath.Join(p.common, "packed-refs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	addRefs(refs, packed)
	top := filepath.Join(p.common, "refs")
	err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir() && filepath.Dir(path) == top && slices.Contains(transient, d.Name()):
			return fs.SkipDir
		case !d.Type().IsRegular() || strings.HasSuffix(path, ".lock"):
			return nil
		}
		name, err := filepath.Rel(p.common, path)
		if hash, gone := durable.ReadPlain(path); gone == nil {
			addRefs(refs, append(bytes.TrimSpace(hash), " "+filepath.ToSlash(name)...))
		}
		return err
	})
	return refs, err
}

// addRefs adds references from lines of a hash and a name.
func addRefs(refs map[string]string, lines []byte) {
	for line := range strings.Lines(string(lines)) {
		hash, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		local, is := strings.CutPrefix(name, "refs/")
		kind, _, _ := strings.Cut(local, "/")
		if is && IsHash(hash) && !slices.Contains(transient, kind) {
			refs[name] = hash
		}
	}
}
