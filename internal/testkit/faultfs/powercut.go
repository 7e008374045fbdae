package faultfs

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
)

// Mode is one way for a disk to look after the power went out. The modes are
// extremes: a real cut lies somewhere between them.
type Mode int

const (
	// DropAll keeps what is durable: synced content under synced entries.
	DropAll Mode = iota
	// MetadataFirst keeps all entry changes and all lengths, and loses
	// unsynced content. A file never synced is empty. Another one has its
	// durable bytes, as far as no truncation cut them off, and zero bytes
	// from there up to its new length.
	MetadataFirst
	// DataFirst keeps all content and loses unsynced entry changes.
	DataFirst
	// Torn is MetadataFirst, except that the first half of the data appended
	// since the last sync reached the disk, and the file ends there.
	Torn
	// TornZeros is Torn, except that the file has its new length, zero bytes
	// filling the second half.
	TornZeros
	// KeepAll is the death of the process alone: everything is there, and
	// what was not durable still is not.
	KeepAll
)

// Modes returns all modes, for tests that hold in each of them.
func Modes() []Mode {
	return []Mode{DropAll, MetadataFirst, DataFirst, Torn, TornZeros, KeepAll}
}

func (m Mode) String() string {
	names := []string{"DropAll", "MetadataFirst", "DataFirst", "Torn", "TornZeros", "KeepAll"}
	if m < 0 || int(m) >= len(names) {
		return fmt.Sprintf("Mode(%d)", int(m))
	}
	return names[m]
}

// Restart is AfterPowerCut(KeepAll).
func (f *FS) Restart() *FS { return f.AfterPowerCut(KeepAll) }

// AfterPowerCut returns the file system as it would be found after the power
// went out now: without locks, open files and faults, counting from 1. f
// itself is left as it is, so one moment can be looked at in several modes.
func (f *FS) AfterPowerCut(mode Mode) *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	root := twin(f.root, map[*inode]*inode{})
	if mode != KeepAll {
		settle(root, mode, map[*inode]bool{})
	}
	return mount(root, f.limit)
}

// twin copies an inode and all that it leads to, now or on the disk. Which
// names share an inode stays the same.
func twin(n *inode, known map[*inode]*inode) *inode {
	if n == nil || known[n] != nil {
		return known[n]
	}
	t := *n
	known[n] = &t
	t.locked = false
	t.data = bytes.Clone(n.data)
	t.entries = maps.Clone(n.entries)
	for name, child := range t.entries {
		t.entries[name] = twin(child, known)
	}
	t.diskEntries = maps.Clone(n.diskEntries)
	for name, child := range t.diskEntries {
		t.diskEntries[name] = twin(child, known)
	}
	return &t
}

// settle decides what the disk holds below n and forgets the rest. A folder
// that a half-synced move left in two places stays in the first one only:
// no file system mounts a folder with two parents.
func settle(n *inode, mode Mode, seen map[*inode]bool) {
	if seen[n] {
		return
	}
	seen[n] = true
	if !n.isFolder() {
		n.data = bytes.Clone(n.survivor(mode))
		n.sync()
		return
	}
	if mode == DropAll || mode == DataFirst {
		n.entries = n.diskEntries
	}
	for _, name := range slices.Sorted(maps.Keys(n.entries)) {
		child := n.entries[name]
		if child.isFolder() && seen[child] {
			delete(n.entries, name)
			continue
		}
		settle(child, mode, seen)
	}
	n.sync()
}

// survivor is the content of a file after a power cut.
func (n *inode) survivor(mode Mode) []byte {
	if mode == DataFirst {
		return n.data
	}
	if mode == DropAll {
		return n.disk
	}
	if mode == MetadataFirst && !n.synced {
		return nil
	}
	kept, appended := n.disk[:n.kept], n.data[n.kept:]
	half := appended[:len(appended)/2]
	zeros := func(k int) []byte { return make([]byte, k) }
	switch mode {
	case MetadataFirst:
		return slices.Concat(kept, zeros(len(appended)))
	case Torn:
		return slices.Concat(kept, half)
	case TornZeros:
		return slices.Concat(kept, half, zeros(len(appended)-len(half)))
	}
	panic(fmt.Sprintf("faultfs: unknown %v", mode))
}
