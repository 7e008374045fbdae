// Package gitobject reads and writes git's loose objects. What a drive asks about was written a
// moment ago and is loose; reading it costs a hundredth of a process. It guarantees that the
// content matches the name: it leaves packed and large objects, and those with a wrong hash, to
// git. It syncs what it writes before the object gets its name, and replaces a wrong object of that
// name.
//
// It is a separate package because warp-hook, which starts with every tool call, links package git
// but not what this package needs.
package gitobject

import (
	"bytes"
	"compress/zlib"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"warp/internal/durable"
)

// Most is the largest size of an object, compressed and uncompressed.
const Most = 256 << 10

// Files gives access to loose objects.
type Files struct{}

// newHash returns the hash function for names of a length, nil if there is none.
func newHash(length int) hash.Hash {
	switch length {
	case 2 * sha1.Size:
		return sha1.New()
	case 2 * sha256.Size:
		return sha256.New()
	}
	return nil
}

// Read reads an object in an objects folder, by its full hash.
func (Files) Read(objects, name string) (kind string, content []byte, ok bool) {
	sum := newHash(len(name))
	if sum == nil || strings.Trim(name, "0123456789abcdef") != "" {
		return "", nil, false
	}
	text, err := inflate(filepath.Join(objects, name[:2], name[2:]))
	if err != nil || len(text) > Most {
		return "", nil, false
	}
	sum.Write(text)
	start, content, _ := bytes.Cut(text, []byte{0}) // KIND SIZE, a zero, the content
	kind, size, _ := strings.Cut(string(start), " ")
	if hex.EncodeToString(sum.Sum(nil)) != name || size != strconv.Itoa(len(content)) {
		return "", nil, false
	}
	return kind, content, true
}

// inflate decompresses a file, up to a little more than the size limit.
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

// Name returns the name of an object, of the given length; "" if no hash has that length.
func (Files) Name(kind string, content []byte, length int) string {
	sum := newHash(length)
	if sum == nil {
		return ""
	}
	sum.Write(head(kind, content))
	sum.Write(content)
	return hex.EncodeToString(sum.Sum(nil))
}

// head returns the header of an object.
func head(kind string, content []byte) []byte {
	return fmt.Appendf(nil, "%s %d\x00", kind, len(content))
}

// Write writes an object to an objects folder, unless it exists, and returns its name of the given
// length.
func (x Files) Write(objects, kind string, content []byte, length int) (name string, err error) {
	if name = x.Name(kind, content, length); name == "" {
		return "", fmt.Errorf("there are no hashes of %d digits", length)
	}
	if info, err := os.Stat(objects); err != nil || info.Mode()&fs.ModeSetgid != 0 {
		return "", errors.Join(err, errors.New("the repository is shared: git knows who may read it"))
	}
	file := filepath.Join(objects, name[:2], name[2:])
	isThere := func() bool {
		was, text, ok := x.Read(objects, name)
		return ok && was == kind && bytes.Equal(text, content)
	}
	// Touch it: an object unreferenced for long could be collected right now.
	if isThere() && os.Chtimes(file, time.Now(), time.Now()) == nil {
		return name, nil
	}
	if err := os.Mkdir(filepath.Dir(file), 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	if err := place(file, deflate(head(kind, content), content)); err != nil && !isThere() { // another process may have been first
		return "", err
	}
	return name, nil
}

// deflaters are reused: a new one takes 1.2 MB, which was a third of all memory that a drive
// allocated.
var deflaters = sync.Pool{New: func() any {
	w, _ := zlib.NewWriterLevel(nil, zlib.BestSpeed) // it only refuses invalid levels
	return w
}}

// deflate compresses the concatenation of parts.
func deflate(parts ...[]byte) []byte {
	var packed bytes.Buffer
	out := deflaters.Get().(*zlib.Writer)
	defer deflaters.Put(out)
	out.Reset(&packed)
	for _, p := range parts {
		_, _ = out.Write(p) // into memory
	}
	_ = out.Close()
	return packed.Bytes()
}

// place creates a file in one step, with the mode that the user's umask allows. Git collects
// leftover files with this temporary name.
func place(file string, text []byte) error {
	temporary := filepath.Join(filepath.Dir(file), "tmp_obj_"+rand.Text())
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(temporary, file)
	}
	if err != nil {
		_ = os.Remove(temporary)
	}
	return err
}

// Sum returns a collision-resistant checksum.
func (Files) Sum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
