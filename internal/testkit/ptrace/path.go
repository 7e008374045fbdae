//go:build linux && (amd64 || arm64)

package ptrace

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// describe adds the name and the paths. A path that the program got wrong, by a
// bad pointer or a closed descriptor, stays empty: that is between it and the
// kernel. Not being allowed to look is an error, since every path would be
// empty and a Match on paths would silently match nothing.
func (c *Call) describe(tid int) (err error) {
	s, known := shapes[c.Nr]
	if !known {
		c.Name = "syscall_" + strconv.FormatUint(c.Nr, 10)
		return nil
	}
	c.Name = s.name
	if c.Path, err = c.resolve(tid, s.from); err != nil {
		return err
	}
	c.To, err = c.resolve(tid, s.to)
	return err
}

// resolve returns the absolute path of one place in the arguments.
func (c *Call) resolve(tid int, p place) (string, error) {
	if p == nowhere {
		return "", nil
	}
	var name string
	if p.path != none && c.Args[p.path] != 0 {
		var err error
		name, err = readString(tid, c.Args[p.path])
		switch {
		case errors.Is(err, unix.EFAULT) || errors.Is(err, unix.ENAMETOOLONG):
			return "", nil
		case err != nil:
			return "", err
		case filepath.IsAbs(name):
			return name, nil
		case name == "" && p.dir == none:
			return "", nil
		}
	}
	link := fmt.Sprintf("/proc/%d/cwd", tid)
	// The kernel takes descriptors as 32 bits; the rest of the register may
	// hold anything.
	if p.dir != none && int32(c.Args[p.dir]) != unix.AT_FDCWD {
		link = fmt.Sprintf("/proc/%d/fd/%d", tid, int32(c.Args[p.dir]))
	}
	base, err := os.Readlink(link)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("resolving a path of thread %d: %w", tid, err)
	case name == "":
		return base, nil // AT_EMPTY_PATH, or a call that has only a descriptor
	}
	return filepath.Join(base, name), nil
}

// pathMax is the kernel's limit on a path argument, its final NUL included.
const pathMax = 4096

// readMemory fills into from the memory of a stopped thread.
func readMemory(tid int, addr uint64, into []byte) error {
	if len(into) == 0 {
		return nil
	}
	local := []unix.Iovec{{Base: &into[0], Len: uint64(len(into))}}
	remote := []unix.RemoteIovec{{Base: uintptr(addr), Len: len(into)}}
	n, err := unix.ProcessVMReadv(tid, local, remote, 0)
	if err == nil && n < len(into) {
		err = unix.EFAULT
	}
	if err != nil {
		return fmt.Errorf("reading the memory of thread %d: %w", tid, err)
	}
	return nil
}

// readString reads a NUL-terminated string. It goes in steps that end where
// pages end, because the page after the string may not exist.
func readString(tid int, addr uint64) (string, error) {
	const step = 256 // divides every page size; most paths are shorter
	var text []byte
	for len(text) < pathMax {
		piece := make([]byte, step-addr%step)
		if err := readMemory(tid, addr, piece); err != nil {
			return "", err
		}
		if end := bytes.IndexByte(piece, 0); end >= 0 {
			return string(append(text, piece[:end]...)), nil
		}
		text = append(text, piece...)
		addr += uint64(len(piece))
	}
	return "", fmt.Errorf("reading a path of thread %d: %w", tid, unix.ENAMETOOLONG)
}
