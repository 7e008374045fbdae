package durable

import (
	"io"
	"io/fs"
)

// nonBlocking is 0: on Windows named pipes are not in folders.
const nonBlocking = 0

// noFollow is 0: on Windows creating a link takes rights that agents do not have.
const noFollow = 0

func readRegular(path string, _ int, most int64) ([]byte, error) {
	f, err := OpenPlain(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > most {
		return nil, &fs.PathError{Op: "read", Path: path, Err: &largeError{info.Size(), most}}
	}
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = &fs.PathError{Op: "read", Path: path, Err: &largeError{int64(len(text)), most}}
	}
	return text, err
}
