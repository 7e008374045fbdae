package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// MostPlain bounds how much is read of a file that others can write.
const MostPlain = 64 << 20

// ErrOdd means that a path is not a regular file but a pipe, a device, a socket or a folder.
var ErrOdd = errors.New("it is not a file")

// OpenPlain opens a file that others can write, for reading. Always use it for these files: opening
// a pipe without a writer would block for ever, and so would reading a device.
func OpenPlain(path string) (*os.File, error) { return openPlain(path, os.Stat, os.OpenFile) }

// OpenPlainIn is OpenPlain for a file below a folder; no link leads out of it.
func OpenPlainIn(root *os.Root, name string) (*os.File, error) {
	return openPlain(name, root.Stat, root.OpenFile)
}

func openPlain(path string, stat func(string) (fs.FileInfo, error), open func(string, int, fs.FileMode) (*os.File, error)) (*os.File, error) {
	info, err := stat(path) // before opening: a device may react to being opened
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrOdd}
	}
	if err != nil {
		return nil, err
	}
	f, err := open(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrOdd}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// ReadPlain reads a regular file of bounded size that others can write.
func ReadPlain(path string) ([]byte, error) { return ReadSmall(path, MostPlain) }

// ReadSmall is ReadPlain for a file that should be small: it refuses one with more than most bytes.
func ReadSmall(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path) // before opening: a device may react to being opened
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrOdd}
	}
	if err != nil {
		return nil, err
	}
	return readRegular(path, 0, most)
}

// ReadSeen is ReadPlain for a file that Lstat just reported as regular. It does not follow a link
// that has replaced the file since.
func ReadSeen(path string) ([]byte, error) { return readRegular(path, noFollow, MostPlain) }

// largeError means that a file is larger than it should be.
type largeError struct{ size, most int64 }

func (e *largeError) Error() string { return fmt.Sprintf("it is larger than %d KB", e.most>>10) }
