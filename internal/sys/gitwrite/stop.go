package gitwrite

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/durable"
)

// A stop is a point where a rebase waits: the files in conflict, and how git left them.
type stop struct {
	onto  string
	files []stopped
}

type stopped struct{ sum, path string }

func (s stop) paths() []string {
	var list []string
	for _, f := range s.files {
		list = append(list, f.path)
	}
	return list
}

// unresolved lists the files with conflict markers, and those that are neither changed nor added
// since git stopped: conflicts of binary or deleted files have no markers.
func (s stop) unresolved(dir string, unmerged []string) []string {
	var left []string
	for _, f := range s.files {
		at := filepath.Join(dir, filepath.FromSlash(f.path))
		if marked(at) || slices.Contains(unmerged, f.path) && sum(at) == f.sum {
			left = append(left, f.path)
		}
	}
	for _, p := range unmerged { // of a later stop
		if !slices.Contains(s.paths(), p) && marked(filepath.Join(dir, filepath.FromSlash(p))) {
			left = append(left, p)
		}
	}
	return left
}

// marked reports whether a file has a complete conflict marked by git.
func marked(name string) bool {
	text, err := durable.ReadPlain(name)
	if err != nil {
		return false
	}
	want := 0
	for line := range bytes.Lines(text) {
		mark := []string{"<<<<<<<", "=======", ">>>>>>>"}[want]
		if rest, ok := strings.CutPrefix(string(line[:min(len(line), 9)]), mark); ok && strings.Trim(rest[:min(1, len(rest))], " \r\n") == "" {
			if want++; want == 3 {
				return true
			}
		}
	}
	return false
}

// sum returns a file's checksum, "" if it is not a file.
func sum(name string) string {
	text, err := durable.ReadPlain(name)
	if err != nil {
		return ""
	}
	h := sha256.Sum256(text)
	return hex.EncodeToString(h[:])
}

func (r rebase) file() string { return filepath.Join(r.gitDir(), "warp-stop") }

// save records a stop. Without the record, a rebase starts over.
func (r rebase) save(s stop, files []string) error {
	list := []string{s.onto}
	for _, p := range files {
		list = append(list, sum(filepath.Join(r.dir, filepath.FromSlash(p))), p)
	}
	return durable.WriteNote(r.file(), []byte(strings.Join(list, "\x00")))
}

func (r rebase) load() (stop, error) {
	text, err := durable.ReadPlain(r.file())
	if err != nil {
		return stop{}, err
	}
	f := strings.Split(string(text), "\x00")
	if len(f) < 3 || len(f)%2 != 1 {
		return stop{}, errTorn
	}
	s := stop{onto: f[0]}
	for f = f[1:]; len(f) > 0; f = f[2:] {
		s.files = append(s.files, stopped{f[0], f[1]})
	}
	return s, nil
}
