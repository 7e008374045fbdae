package git

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
)

// A BlobChange is how the content of one path differs between two trees, by the
// hashes of git's objects: attributes, filters and renames play no part. A hash is
// "" where the path is not there, or no file or link.
type BlobChange struct{ Path, Before, After string }

// Blobs returns which contents one tree has and the other has not. A commit stands
// for its tree.
func (r Repo) Blobs(ctx context.Context, from, to string) ([]BlobChange, error) {
	if !IsHash(from) || !IsHash(to) {
		return nil, fmt.Errorf("comparing trees in %s: %q and %q are not both full hashes", r.Dir, from, to)
	}
	c := Call{Args: []string{"diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", from, to, "--"}}
	a, err := r.Run(ctx, c)
	if err == nil && a.Exit != 0 {
		err = r.failure(c, a)
	}
	if err != nil {
		return nil, err
	}
	f := Split(a.Stdout)
	var list []BlobChange
	for ; len(f) >= 2; f = f[2:] {
		w := strings.Fields(f[0]) // :MODE MODE HASH HASH STATUS
		if len(w) != 5 {
			return nil, fmt.Errorf("comparing %s and %s in %s: %w", from, to, r.Dir, errTorn)
		}
		list = append(list, BlobChange{f[1], blob(w[0], w[2]), blob(w[1], w[3])})
	}
	return list, nil
}

// blob is the hash of an entry that is a file or a link.
func blob(mode, hash string) string {
	mode = strings.TrimPrefix(mode, ":")
	if !strings.HasPrefix(mode, "10") && mode != "120000" || strings.Trim(hash, "0") == "" {
		return ""
	}
	return hash
}

// Sizes returns how large objects are; one that is missing is not in it.
func (r Repo) Sizes(ctx context.Context, hashes []string) (map[string]int64, error) {
	sizes := map[string]int64{}
	if len(hashes) == 0 {
		return sizes, nil
	}
	c := Call{Args: []string{"cat-file", "--batch-check=%(objectname) %(objectsize)"}, Stdin: []byte(strings.Join(hashes, "\n") + "\n")}
	a, err := r.Run(ctx, c)
	if err == nil && a.Exit != 0 {
		err = r.failure(c, a)
	}
	if err != nil {
		return nil, err
	}
	for l := range strings.Lines(string(a.Stdout)) {
		hash, size, _ := strings.Cut(strings.TrimSpace(l), " ")
		if n, err := strconv.ParseInt(size, 10, 64); err == nil {
			sizes[hash] = n
		}
	}
	return sizes, nil
}

// Contents reads objects with one run of git; one that is missing is not in it. How
// large they are together is for the caller to bound.
func (r Repo) Contents(ctx context.Context, hashes []string) (map[string][]byte, error) {
	all := map[string][]byte{}
	if len(hashes) == 0 {
		return all, nil
	}
	c := Call{Args: []string{"cat-file", "--batch"}, Stdin: []byte(strings.Join(hashes, "\n") + "\n")}
	a, err := r.Run(ctx, c)
	if err == nil && a.Exit != 0 {
		err = r.failure(c, a)
	}
	if err != nil {
		return nil, err
	}
	for out := a.Stdout; len(out) > 0; {
		head, rest, ok := bytes.Cut(out, []byte("\n")) // HASH TYPE SIZE, the content, a line's end
		w := strings.Fields(string(head))
		if ok && len(w) == 2 && w[1] == "missing" {
			out = rest
			continue
		}
		if !ok || len(w) != 3 {
			return nil, fmt.Errorf("reading objects in %s: %w", r.Dir, errTorn)
		}
		size, err := strconv.Atoi(w[2])
		if err != nil || size < 0 || size >= len(rest) {
			return nil, fmt.Errorf("reading objects in %s: %w", r.Dir, errTorn)
		}
		all[w[0]] = rest[:size:size]
		out = rest[size+1:]
	}
	return all, nil
}

// HasText reports whether a file of a tree has a text in one of its lines. The text is
// given to git on its input, where no other process reads it.
func (r Repo) HasText(ctx context.Context, tree, text string) (bool, error) {
	if !IsHash(tree) {
		return false, fmt.Errorf("looking into a tree in %s: %q is not a full hash", r.Dir, tree)
	}
	c := Call{Args: []string{"grep", "-q", "-a", "-F", "-f", "-", tree, "--", ":/"}, Stdin: []byte(text + "\n")}
	a, err := r.Run(ctx, c)
	if err == nil && a.Exit > 1 {
		err = r.failure(c, a)
	}
	return err == nil && a.Exit == 0, err
}
