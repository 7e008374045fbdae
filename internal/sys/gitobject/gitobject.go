// Package gitobject reads the objects that git keeps in files of their own. What a drive asks
// about was written a moment ago and is such a file; reading it costs a hundredth of a
// process. It guarantees that what it returns is what the name says: an object in a pack, a
// large one, and one whose content has another hash are left to git.
//
// It is a package of its own because warp-hook, which starts with every tool call, links
// package git and not what this one needs.
package gitobject

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"warp/internal/durable"
)

// Most is how large an object may be, packed and unpacked.
const Most = 256 << 10

// Files reads objects that are files of their own.
type Files struct{}

// Read reads an object below a folder of objects, by its full hash.
func (Files) Read(objects, name string) (kind string, content []byte, ok bool) {
	sums := map[int]func() hash.Hash{2 * sha1.Size: sha1.New, 2 * sha256.Size: sha256.New}
	if sums[len(name)] == nil || strings.Trim(name, "0123456789abcdef") != "" {
		return "", nil, false
	}
	text, err := inflate(filepath.Join(objects, name[:2], name[2:]))
	if err != nil || len(text) > Most {
		return "", nil, false
	}
	sum := sums[len(name)]()
	sum.Write(text)
	head, content, _ := bytes.Cut(text, []byte{0}) // KIND SIZE, a zero, the content
	kind, size, _ := strings.Cut(string(head), " ")
	if hex.EncodeToString(sum.Sum(nil)) != name || size != strconv.Itoa(len(content)) {
		return "", nil, false
	}
	return kind, content, true
}

// inflate reads a packed file, or a little more of it than is wanted.
func inflate(file string) ([]byte, error) {
	f, err := durable.OpenPlain(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in, err := zlib.NewReader(io.LimitReader(f, Most))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(in, Most+1))
}

// Sum tells contents apart, also those that were made to look the same.
func (Files) Sum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
