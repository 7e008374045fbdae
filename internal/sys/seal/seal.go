// Package seal holds the key with which warp signs its findings: a file of the user's, outside
// every project, that no agent in a sandbox sees. A process that has it can write facts that
// engines believe. What is signed, and what an invalid signature means, is up to others.
package seal

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"warp/internal/core/event"
	"warp/internal/durable"
)

const (
	// Name is the key's file name in the user's state folder.
	Name = "key"
	// Variable names another key file, which a fleet of machines can share.
	Variable = "WARP_KEY_FILE"

	size = 32
	most = 4096 // bytes of a key that another program made
)

// Key signs texts.
type Key struct {
	secret []byte
	marks  string // the folder of marks; "" if none are kept
}

// Sign signs a text for one purpose; the signature is not valid for another.
func (k *Key) Sign(purpose string, text []byte) string {
	h := hmac.New(sha256.New, k.secret)
	_, _ = io.WriteString(h, purpose+"\n") // never fails
	_, _ = h.Write(text)
	return hex.EncodeToString(h.Sum(nil)[:event.MacLength/2])
}

// Mark returns the file, outside the project, that records how far the journal of a folder's store
// got; "" if there is none.
func (k *Key) Mark(dir string) string {
	if k.marks == "" {
		return ""
	}
	return filepath.Join(k.marks, k.Sign("mark", []byte(dir)))
}

// Open reads the key named by Variable or the user's own, which it creates at first use. folder is
// the user's state folder.
func Open(getenv func(string) string, folder string) (*Key, error) {
	if shared := getenv(Variable); shared != "" {
		if !filepath.IsAbs(shared) { // a relative path would lead into a project
			return nil, fmt.Errorf("%s is %q: it must be an absolute path", Variable, shared)
		}
		k, err := read(shared)
		if err != nil {
			return nil, fmt.Errorf("reading the key that %s names: %w", Variable, err)
		}
		return k.in(folder), nil
	}
	path := filepath.Join(folder, Name)
	k, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = create(path); err == nil || errors.Is(err, fs.ErrExist) { // another process was faster
			k, err = read(path)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the signing key: %w", err)
	}
	return k.in(folder), nil
}

// in sets the folder of marks below the user's state folder.
func (k *Key) in(folder string) *Key {
	if folder != "" {
		k.marks = filepath.Join(folder, "journals")
	}
	return k
}

// read reads a key that only its owner, or the owner's group, can read.
func read(path string) (*Key, error) {
	info, err := os.Lstat(path) // opening a pipe would block for ever
	if err != nil {
		return nil, err
	}
	if info.Mode()&fs.ModeSymlink != 0 { // secrets are often mounted as links
		if info, err = os.Stat(path); err != nil {
			return nil, err
		}
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file; move it away", path)
	case exposed(info.Mode()):
		return nil, fmt.Errorf("%s can be read or written by others (%04o): chmod 600 it, and make a new key if you do not trust them", path, info.Mode().Perm())
	case info.Size() < size || info.Size() > most:
		return nil, fmt.Errorf("%s has %d bytes, not %d to %d: remove it, and warp makes a new key and proves everything again", path, info.Size(), size, most)
	}
	secret, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return &Key{secret: secret}, nil
}

// create creates a key, whole or not at all. It never replaces one: of many processes at once, only
// one succeeds.
func create(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	secret := make([]byte, size)
	if _, err := rand.Read(secret); err != nil {
		return err
	}
	return durable.CreateFile(path, secret, 0o600)
}
