package git

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// memory caches facts about objects by hash, which never change. All copies of a Root share it.
type memory struct {
	mu    sync.Mutex
	known map[string][]byte
	size  int

	objects Objects // nil to ask git
}

const (
	mostKept   = 16 << 20 // bytes of all answers
	mostAnswer = 256 << 10
)

func (m *memory) get(key string) ([]byte, bool) {
	if m == nil {
		return nil, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	answer, ok := m.known[key]
	return bytes.Clone(answer), ok
}

func (m *memory) set(key string, answer []byte) {
	if m == nil || len(answer) > mostAnswer {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || m.size > mostKept {
		m.known, m.size = map[string][]byte{}, 0
	}
	m.known[key] = bytes.Clone(answer)
	m.size += len(key) + len(answer)
}

// About is Must for a question about objects. If all are named by full hash, the answer never
// changes and is cached.
func (r Repo) About(ctx context.Context, c Call, objects ...string) ([]byte, error) {
	m := r.memory()
	if slices.ContainsFunc(objects, func(name string) bool { return !IsHash(name) }) {
		m = nil
	}
	key := strings.Join(c.Args, "\x00")
	if answer, ok := m.get(key); ok {
		return answer, nil
	}
	out, err := r.Must(ctx, c)
	if err == nil {
		m.set(key, out)
	}
	return out, err
}

func (r Repo) memory() *memory {
	if r.root == nil {
		return nil
	}
	return r.root.memory
}

// MakeOnce makes an object from others, named by hash in key, unless it was made before and still
// exists: git may collect unreferenced objects.
func (o Root) MakeOnce(key string, make func() (hash string, err error)) (string, error) {
	if was, ok := o.memory.get("made " + key); ok && isLoose(filepath.Join(o.Common(), "objects"), string(was)) {
		return string(was), nil
	}
	hash, err := make()
	if err == nil {
		o.memory.set("made "+key, []byte(hash))
	}
	return hash, err
}

// isLoose reports whether an object is a loose object in a folder of objects.
func isLoose(objects, hash string) bool {
	if !IsHash(hash) {
		return false
	}
	info, err := os.Lstat(filepath.Join(objects, hash[:2], hash[2:]))
	return err == nil && info.Mode().IsRegular()
}
