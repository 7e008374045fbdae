// Package trustledger decides which of a project's files may run: nothing that a person on this
// machine has not reviewed. Trust applies to the content at a path, so a changed file asks again.
// Only the part of a file that can start something counts: the rest of the settings may change
// freely. Other packages decide where the ledger is stored, which must be outside the project.
package trustledger

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"

	"warp/internal/core/config"
	"warp/internal/core/lossless"
)

// Version is the ledger's version.
const Version = 1

// Ledger is what was trusted on this machine.
type Ledger struct {
	Version int     `json:"version"`
	Files   []Entry `json:"files"`
}

// Entry is the trust in one file.
type Entry struct {
	Path string `json:"path"`
	Hash string `json:"hash"`
	At   string `json:"at"`
	Text string `json:"text"` // what was trusted, to show what changed
}

// running are the settings that contain commands, and those that remove protections. forge decides
// who receives a token: gitea is any host that the repository names.
var running = []string{
	"verification_gates", "test_command", "coverage_command", "agent_command", "quality_gates", "worktree_setup", "worktree_copy", "forge",
	"sandbox", "sandbox_network", "sandbox_hosts", "sandbox_read", "sandbox_write", "sandbox_env", "sandbox_git", "sandbox_container",
}

// sending is the section that says where decisions and progress go: to anyone that a clone names,
// if it were believed.
const sending = "_rdb"

// harmlessForges are trackers whose tokens go to no host of the project's choice.
var harmlessForges = []string{"", "auto", "local", "github"}

// Subject returns the part of a file that can start something; empty if nothing can. For an unknown
// file it is all of it.
func Subject(file string, content []byte) []byte {
	if path.Base(file) != path.Base(config.File) {
		return content
	}
	if len(strings.TrimSpace(string(content))) == 0 {
		return nil
	}
	doc, err := lossless.Parse(content)
	if err != nil || doc.Kind != lossless.Object {
		return content
	}
	subject := &lossless.Value{Kind: lossless.Object}
	for _, key := range running {
		v := doc.Get(config.Section).Get(key)
		if v == nil || empty(v) || key == "forge" && slices.Contains(harmlessForges, v.Text()) {
			continue
		}
		subject = subject.With(key, v)
	}
	if v := doc.Get(sending); v != nil && !empty(v) {
		subject = subject.With(sending, v)
	}
	if len(subject.Members) == 0 {
		return nil
	}
	return append(lossless.AppendIndent(nil, subject), '\n')
}

func empty(v *lossless.Value) bool {
	switch v.Kind {
	case lossless.Object:
		return len(v.Members) == 0
	case lossless.Array:
		return len(v.Elems) == 0
	case lossless.String:
		return v.Text() == ""
	}
	return v.Kind == lossless.Null
}

// hash covers the path too: the same content elsewhere has another hash.
func hash(file string, subject []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %s\n", len(file), file)
	h.Write(subject)
	return hex.EncodeToString(h.Sum(nil))
}

// Find returns the entry of a file.
func (l Ledger) Find(file string) (Entry, bool) {
	i := l.index(file)
	if i < 0 {
		return Entry{}, false
	}
	return l.Files[i], true
}

func (l Ledger) index(file string) int {
	return slices.IndexFunc(l.Files, func(e Entry) bool { return e.Path == file })
}

// Check returns why the content of a file may not run: an *Untrusted, or nil.
func (l Ledger) Check(file string, content []byte) error {
	subject := Subject(file, content)
	if len(subject) == 0 {
		return nil
	}
	e, known := l.Find(file)
	if known && e.Hash == hash(file, subject) {
		return nil
	}
	return &Untrusted{Path: file, Changed: known}
}

// Allow trusts a content, replacing what was trusted at that path before. A content that can start
// nothing needs no entry.
func (l *Ledger) Allow(file string, content []byte, at string) {
	l.Version = Version
	subject := Subject(file, content)
	if len(subject) == 0 {
		l.Revoke(file)
		return
	}
	e := Entry{Path: file, Hash: hash(file, subject), At: at, Text: string(subject)}
	if i := l.index(file); i >= 0 {
		l.Files[i] = e
		return
	}
	l.Files = append(l.Files, e)
}

// Revoke revokes the trust in a file, and reports whether there was any.
func (l *Ledger) Revoke(file string) bool {
	n := len(l.Files)
	l.Files = slices.DeleteFunc(l.Files, func(e Entry) bool { return e.Path == file })
	return len(l.Files) < n
}

// Untrusted refuses to run what a file contains.
type Untrusted struct {
	Path    string
	Changed bool // another content was trusted
}

func (e *Untrusted) Error() string {
	what := "has commands that are not trusted on this machine"
	if e.Changed {
		what = "has changed since it was trusted"
	}
	return fmt.Sprintf("%s %s, so it is not run; read it with warp trust --show %[1]s, then allow it with warp trust %[1]s", e.Path, what)
}
