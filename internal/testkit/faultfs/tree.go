package faultfs

import (
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Lstat implements durable.FS.
func (f *FS) Lstat(name string) (found fs.FileInfo, err error) {
	err = f.do("lstat", name, "", func(Fault) error {
		s, err := f.find(name, false)
		if err != nil {
			return err
		}
		found = s.node.info(s.name)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// ReadDir implements durable.FS. The entries are sorted by name. Like
// os.ReadDir it follows a symbolic link to a folder.
func (f *FS) ReadDir(name string) (list []fs.DirEntry, err error) {
	err = f.do("readdir", name, "", func(Fault) error {
		s, err := f.find(name, true)
		if err != nil {
			return err
		}
		if err := s.node.folder(); err != nil {
			return err
		}
		for _, base := range slices.Sorted(maps.Keys(s.node.entries)) {
			list = append(list, fs.FileInfoToDirEntry(s.node.entries[base].info(base)))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// MkdirAll implements durable.FS. Each new folder is one volatile entry of its
// parent: all of those parents need a SyncDir.
func (f *FS) MkdirAll(name string, perm fs.FileMode) error {
	return f.do("mkdirall", name, "", func(Fault) error {
		_, err := f.mkdirAll(name, perm)
		return err
	})
}

// mkdirAll returns the spots of all folders in name, from the root down.
func (f *FS) mkdirAll(name string, perm fs.FileMode) ([]spot, error) {
	elements, err := split(name)
	if err != nil {
		return nil, err
	}
	var spots []spot
	for i, element := range elements {
		if i > 0 && element == "" {
			continue
		}
		prefix := "/" + strings.Join(elements[:i+1], "/")
		s, err := f.walk(prefix, false)
		if err != nil {
			return nil, err
		}
		if s.node == nil {
			s.node = newFolder(perm)
			s.folder.put(s.name, s.node)
		} else if s.node.isLink() {
			// Nothing is created behind a link that leads nowhere.
			if s, err = f.find(prefix, true); err != nil {
				return nil, syscall.EEXIST
			}
		}
		if err := s.node.folder(); err != nil {
			return nil, err
		}
		spots = append(spots, s)
	}
	return spots, nil
}

// Rename implements durable.FS. It replaces a file, and like os.Rename it
// refuses to replace a folder. Its errors name the old name.
func (f *FS) Rename(from, to string) error {
	return f.do("rename", from, filepath.ToSlash(to), func(Fault) error {
		old, err := f.walk(from, false)
		if err != nil {
			return err
		}
		dest, err := f.walk(to, false)
		if err != nil {
			return err
		}
		switch {
		case old.node == nil:
			return syscall.ENOENT
		case old.folder == nil || dest.folder == nil:
			return syscall.EBUSY
		case old.node == dest.node && (from != to || !old.node.isFolder()):
			return nil
		case dest.node != nil && dest.node.isFolder():
			return syscall.EEXIST
		case slices.Contains(dest.above, old.node):
			return syscall.EINVAL
		case dest.node != nil && old.node.isFolder():
			return syscall.ENOTDIR
		}
		old.folder.drop(old.name)
		dest.folder.put(dest.name, old.node)
		return nil
	})
}

// Remove implements durable.FS: files, links and empty folders.
func (f *FS) Remove(name string) error {
	return f.do("remove", name, "", func(Fault) error {
		s, err := f.find(name, false)
		switch {
		case err != nil:
			return err
		case s.folder == nil:
			return syscall.EBUSY
		case len(s.node.entries) > 0:
			return syscall.ENOTEMPTY
		}
		s.folder.drop(s.name)
		return nil
	})
}

// SyncDir implements durable.FS. It follows a symbolic link to a folder.
func (f *FS) SyncDir(name string) error {
	return f.do("syncdir", name, "", func(how Fault) error {
		s, err := f.find(name, true)
		if err != nil {
			return err
		}
		if err := s.node.folder(); err != nil {
			return err
		}
		if how != LyingSync {
			s.node.sync()
		}
		return nil
	})
}
