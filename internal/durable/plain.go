package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// MostPlain bounds what is read of a file that others can write.
const MostPlain = 64 << 20

// ErrOdd says that what stands in the place of a file is none: a pipe, a device, a
// socket or a folder.
var ErrOdd = errors.New("it is not a file")

// OpenPlain opens a file for reading that others can write, and is the one way to open
// such a file. Whatever stands in its place is not waited for: opening a pipe that has
// no writer would last for ever, and so would reading a device.
func OpenPlain(path string) (*os.File, error) { return openPlain(path, os.Stat, os.OpenFile) }

// OpenPlainIn opens such a file below a folder, out of which no link leads.
func OpenPlainIn(root *os.Root, name string) (*os.File, error) {
	return openPlain(name, root.Stat, root.OpenFile)
}

func openPlain(path string, stat func(string) (fs.FileInfo, error), open func(string, int, fs.FileMode) (*os.File, error)) (*os.File, error) {
	info, err := stat(path) // first: a device may act on being opened
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

// ReadPlain reads a file that others can write: a regular one, of bounded size.
func ReadPlain(path string) ([]byte, error) { return ReadSmall(path, MostPlain) }

// ReadSmall is ReadPlain for a file that has few bytes when it is what it should be: one
// that has more is not read.
func ReadSmall(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path) // first: a device may act on being opened
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrOdd}
	}
	if err != nil {
		return nil, err
	}
	return readRegular(path, 0, most)
}

// ReadSeen is ReadPlain for a file that Lstat has just told to be a regular one: a link that
// stands there by now is not followed.
func ReadSeen(path string) ([]byte, error) { return readRegular(path, noFollow, MostPlain) }

// largeError says that a file is larger than what it should be.
type largeError struct{ size, most int64 }

func (e *largeError) Error() string { return fmt.Sprintf("it is larger than %d KB", e.most>>10) }
