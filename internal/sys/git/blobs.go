package git

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A BlobChange is the difference in content of one path between two trees, by object hashes,
// regardless of attributes, filters and renames. A hash is "" if the path is missing, or is neither
// a file nor a link.
type BlobChange struct{ Path, Before, After string }

// Blobs returns the contents that differ between two trees. A commit stands for its tree.
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

// blobHash returns the hash of an entry that is a file or a link, "" for others.
func blobHash(mode, hash string) string {
	if !strings.HasPrefix(mode, "10") && mode != "120000" || strings.Trim(hash, "0") == "" {
		return ""
	}
	return hash
}

// known returns the content of a file that can be read without a process.
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

// unknown returns the files that only git can read, and gives the others to take.
func (t Trees) unknown(hashes []string, take func(hash string, text []byte)) []string {
	return slices.DeleteFunc(slices.Clone(hashes), func(hash string) bool {
		text, known := t.known(hash)
		if known {
			take(hash, text)
		}
		return known
	})
}

// blob reads one file, or fails if it is beyond the limit.
func (t Trees) blob(hash string, limit int64) (text []byte, err error) {
	text, known := t.known(hash)
	if !known {
		text, err = t.repo.must(Call{Args: []string{"cat-file", "blob", hash}, Max: int(limit) + 1, Tail: true})
	}
	if err == nil && int64(len(text)) > limit {
		return nil, fmt.Errorf("%w: the limit is %d bytes", errTooLarge, limit)
	}
	if err == nil && !known {
		t.repo.memory().set(hash, text)
	}
	return text, err
}

// mostSizes is up to how many objects are read here for their sizes; git need not read them.
const mostSizes = 500

// Sizes returns the sizes of objects, without those that are missing.
func (t Trees) Sizes(ctx context.Context, hashes []string) (map[string]int64, error) {
	sizes, ask := map[string]int64{}, hashes
	if len(hashes) <= mostSizes {
		ask = t.unknown(hashes, func(hash string, text []byte) { sizes[hash] = int64(len(text)) })
	}
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

// Contents reads objects with one git process and leaves out missing ones. The caller must bound
// their total size.
func (t Trees) Contents(ctx context.Context, hashes []string) (map[string][]byte, error) {
	all := map[string][]byte{}
	ask := t.unknown(hashes, func(hash string, text []byte) { all[hash] = text })
	if len(ask) == 0 {
		return all, nil
	}
	out, err := t.repo.Must(ctx, Call{Args: []string{"cat-file", "--batch"}, Stdin: []byte(strings.Join(ask, "\n") + "\n")})
	if err != nil {
		return nil, err
	}
	for len(out) > 0 {
		head, rest, ok := bytes.Cut(out, []byte("\n")) // HASH TYPE SIZE, the content, a newline
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

// Load caches the small files that differ between two trees with few git processes, so that reading
// them one by one needs none. It skips what it cannot read.
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

// HasText reports whether a line in a file of a tree contains text. It passes the text on git's
// standard input, where no other process can read it.
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
