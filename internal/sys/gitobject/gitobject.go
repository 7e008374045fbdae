// Package gitobject reads and writes the objects that git keeps in files of their own. What a
// drive asks about was written a moment ago and is such a file; that costs a hundredth of a
// process. It guarantees that what it returns is what the name says: an object in a pack, a
// large one, and one whose content has another hash are left to git. What it writes is on disk
// before it has its name; what is there under that name and is something else is replaced.
//
// It is a package of its own because warp-hook, which starts with every tool call, links
// package git and not what this one needs.
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

// Most is how large an object may be, packed and unpacked.
const Most = 256 << 10

// Files are objects that are files of their own.
type Files struct{}

// newHash makes the hash whose names have a length; nil: there is none.
func newHash(length int) hash.Hash {
	switch length {
	case 2 * sha1.Size:
		return sha1.New()
	case 2 * sha256.Size:
		return sha256.New()
	}
	return nil
}

// Read reads an object below a folder of objects, by its full hash.
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

// Name is the name of an object, of the given length; "": there are none of that length.
func (Files) Name(kind string, content []byte, length int) string {
	sum := newHash(length)
	if sum == nil {
		return ""
	}
	sum.Write(head(kind, content))
	sum.Write(content)
	return hex.EncodeToString(sum.Sum(nil))
}

// head is what an object begins with.
func head(kind string, content []byte) []byte {
	return fmt.Appendf(nil, "%s %d\x00", kind, len(content))
}

// Write writes an object below a folder of objects, unless it is there, and returns its name
// of the given length.
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
	// One that nothing has referred to for long could be collected right now.
	if isThere() && os.Chtimes(file, time.Now(), time.Now()) == nil {
		return name, nil
	}
	if err := os.Mkdir(filepath.Dir(file), 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	if err := place(file, deflate(head(kind, content), content)); err != nil && !isThere() { // another may have been first
		return "", err
	}
	return name, nil
}

// deflaters are kept: a new one takes 1.2 MB, which was a third of all memory that a drive asked
// for.
var deflaters = sync.Pool{New: func() any {
	w, _ := zlib.NewWriterLevel(nil, zlib.BestSpeed) // it only refuses levels that there are not
	return w
}}

// deflate packs what parts have, one after the other.
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

// place puts a file there in one step, for those to read whom the user lets. Git collects
// files of this name that were left behind.
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

// Sum tells contents apart, also those that were made to look the same.
func (Files) Sum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
