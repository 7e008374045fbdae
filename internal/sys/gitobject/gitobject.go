// Package gitobject reads and writes the objects that git keeps in files of their own. What a
// drive asks about was written a moment ago and is such a file; that costs a hundredth of a
// process. It guarantees that what it returns is what the name says: an object in a pack, a
// large one, and one whose content has another hash are left to git. What it writes is there
// whole or not at all, and is synced no more and no less than git would by default.
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
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"warp/internal/durable"
)

// Most is how large an object may be, packed and unpacked.
const Most = 256 << 10

// Files are objects that are files of their own.
type Files struct{}

// sums are the kinds of hashes, by the length of their names.
func sums(length int) func() hash.Hash {
	return map[int]func() hash.Hash{2 * sha1.Size: sha1.New, 2 * sha256.Size: sha256.New}[length]
}

// Read reads an object below a folder of objects, by its full hash.
func (Files) Read(objects, name string) (kind string, content []byte, ok bool) {
	newSum := sums(len(name))
	if newSum == nil || strings.Trim(name, "0123456789abcdef") != "" {
		return "", nil, false
	}
	text, err := inflate(filepath.Join(objects, name[:2], name[2:]))
	if err != nil || len(text) > Most {
		return "", nil, false
	}
	sum := newSum()
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
	newSum := sums(length)
	if newSum == nil {
		return ""
	}
	sum := newSum()
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
	file := filepath.Join(objects, name[:2], name[2:])
	// One that nothing has referred to for long could be collected right now.
	if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() && os.Chtimes(file, time.Now(), time.Now()) == nil {
		return name, nil
	}
	var packed bytes.Buffer
	out, err := zlib.NewWriterLevel(&packed, zlib.BestSpeed)
	if err == nil {
		_, _ = out.Write(head(kind, content)) // into memory
		_, _ = out.Write(content)
		err = out.Close()
	}
	if err == nil {
		err = makeFolder(objects, filepath.Dir(file))
	}
	if err != nil {
		return "", err
	}
	return name, place(file, packed.Bytes())
}

// makeFolder makes a folder that is as open as the one that it is in: others may write there
// where a repository is shared.
func makeFolder(objects, dir string) error {
	info, err := os.Stat(objects)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, info.Mode().Perm()); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		return err
	}
	return os.Chmod(dir, info.Mode()&(fs.ModePerm|fs.ModeSetgid))
}

// place puts a file there in one step. Git collects files of this name that were left behind.
func place(file string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), "tmp_obj_")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(0o444), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// Sum tells contents apart, also those that were made to look the same.
func (Files) Sum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
