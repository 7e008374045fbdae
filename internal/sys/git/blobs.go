package git

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A BlobChange is how the content of one path differs between two trees, by the
// hashes of git's objects: attributes, filters and renames play no part. A hash is
// "" where the path is not there, or no file or link.
type BlobChange struct{ Path, Before, After string }

// Blobs returns which contents one tree has and the other has not. A commit stands
// for its tree.
func (t Trees) Blobs(ctx context.Context, from, to string) ([]BlobChange, error) {
	if !IsHash(from) || !IsHash(to) {
		return nil, fmt.Errorf("comparing trees in %s: %q and %q are not both full hashes", t.repo.Dir, from, to)
	}
	diff, err := t.Diff(ctx, from, to, false)
	var list []BlobChange
	for _, d := range diff {
		list = append(list, BlobChange{d.Path, blobHash(d.Modes[0], d.Hashes[0]), blobHash(d.Modes[1], d.Hashes[1])})
	}
	return list, err
}

// blobHash is the hash of an entry that is a file or a link.
func blobHash(mode, hash string) string {
	if !strings.HasPrefix(mode, "10") && mode != "120000" || strings.Trim(hash, "0") == "" {
		return ""
	}
	return hash
}

// known is the content of a file that takes no process to read.
func (t Trees) known(hash string) ([]byte, bool) {
	text, known := t.repo.memory().get(hash)
	if known || t.repo.root == nil {
		return text, known
	}
	x, ok := t.repo.root.loose(hash)
	if !ok || x.kind != "blob" {
		return nil, false
	}
	t.repo.memory().set(hash, x.text)
	return x.text, true
}

// blob reads one file. Of one beyond the limit nothing is returned.
func (t Trees) blob(hash string, limit int64) (text []byte, err error) {
	text, known := t.known(hash)
	if !known {
		text, err = t.repo.must(Call{Args: []string{"cat-file", "blob", hash}, Max: int(limit) + 1, Tail: true})
	}
	if err == nil && int64(len(text)) > limit {
		return nil, fmt.Errorf("%w: %d bytes are the limit", errTooLarge, limit)
	}
	if err == nil && !known {
		t.repo.memory().set(hash, text)
	}
	return text, err
}

// mostSizes is of how many objects the sizes are found without git, which need not read them.
const mostSizes = 500

// Sizes returns how large objects are; one that is missing is not in it.
func (t Trees) Sizes(ctx context.Context, hashes []string) (map[string]int64, error) {
	sizes := map[string]int64{}
	ask := slices.DeleteFunc(slices.Clone(hashes), func(h string) bool {
		if len(hashes) > mostSizes {
			return false
		}
		text, known := t.known(h)
		if known {
			sizes[h] = int64(len(text))
		}
		return known
	})
	if len(ask) == 0 {
		return sizes, nil
	}
	out, err := t.repo.Must(ctx, Call{Args: []string{"cat-file", "--batch-check=%(objectname) %(objectsize)"}, Stdin: []byte(strings.Join(ask, "\n") + "\n")})
	for l := range strings.Lines(string(out)) {
		hash, size, _ := strings.Cut(strings.TrimSpace(l), " ")
		if n, err := strconv.ParseInt(size, 10, 64); err == nil {
			sizes[hash] = n
		}
	}
	return sizes, err
}

// Contents reads objects with one run of git; one that is missing is not in it. How
// large they are together is for the caller to bound.
func (t Trees) Contents(ctx context.Context, hashes []string) (map[string][]byte, error) {
	all := map[string][]byte{}
	ask := slices.DeleteFunc(slices.Clone(hashes), func(h string) bool {
		text, known := t.known(h)
		if known {
			all[h] = text
		}
		return known
	})
	if len(ask) == 0 {
		return all, nil
	}
	out, err := t.repo.Must(ctx, Call{Args: []string{"cat-file", "--batch"}, Stdin: []byte(strings.Join(ask, "\n") + "\n")})
	if err != nil {
		return nil, err
	}
	for len(out) > 0 {
		head, rest, ok := bytes.Cut(out, []byte("\n")) // HASH TYPE SIZE, the content, a line's end
		w := strings.Fields(string(head))
		if ok && len(w) == 2 && w[1] == "missing" {
			out = rest
			continue
		}
		if !ok || len(w) != 3 {
			return nil, fmt.Errorf("reading objects in %s: %w", t.repo.Dir, errTorn)
		}
		size, err := strconv.Atoi(w[2])
		if err != nil || size < 0 || size >= len(rest) {
			return nil, fmt.Errorf("reading objects in %s: %w", t.repo.Dir, errTorn)
		}
		all[w[0]] = rest[:size:size]
		t.repo.memory().set(w[0], rest[:size])
		out = rest[size+1:]
	}
	return all, nil
}

// Load reads the small files that differ between two trees with few runs of git, so that
// reading one after the other costs none. What cannot be read is left out.
func (t Trees) Load(ctx context.Context, from, to string) {
	const mostAll = 4 << 20
	changes, err := t.Blobs(ctx, from, to)
	var hashes, small []string
	for _, c := range changes {
		hashes = append(hashes, c.Before, c.After)
	}
	hashes = slices.DeleteFunc(hashes, func(h string) bool { return h == "" })
	sizes, bad := t.Sizes(ctx, hashes)
	if err != nil || bad != nil {
		return
	}
	all := int64(0)
	for _, h := range hashes {
		if n, there := sizes[h]; there && n <= mostAnswer && all+n <= mostAll {
			small, all = append(small, h), all+n
		}
	}
	_, _ = t.Contents(ctx, small)
}

// HasText reports whether a file of a tree has a text in one of its lines. The text is
// given to git on its input, where no other process reads it.
func (t Trees) HasText(ctx context.Context, tree, text string) (bool, error) {
	if !IsHash(tree) {
		return false, fmt.Errorf("looking into a tree in %s: %q is not a full hash", t.repo.Dir, tree)
	}
	c := Call{Args: []string{"grep", "-q", "-a", "-F", "-f", "-", tree, "--", ":/"}, Stdin: []byte(text + "\n")}
	a, err := t.repo.Run(ctx, c)
	if err == nil && a.Exit > 1 {
		err = t.repo.failure(c, a)
	}
	return err == nil && a.Exit == 0, err
}
