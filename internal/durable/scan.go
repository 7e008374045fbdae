package durable

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"warp/internal/core/event"
)

// maxLine bounds a line of the journal: a row holds at most a whole document.
const maxLine = 2 * MaxSize

// largest bounds what is read of a segment: it rotates long before. What is larger is a
// hole or a flood that something else has made.
func (j *journal) largest() int64 { return max(16*j.limit, 4*maxLine) }

// scan lets fn see each whole row of one segment in order, until it returns
// false. Lines that are torn, glued or garbage are counted and passed over.
func (j *journal) scan(path string, fn func(event.Row) bool) (damaged int, more bool, err error) {
	f, err := j.fs.Open(path, os.O_RDONLY, 0)
	if isNotExist(err) {
		return 0, true, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("reading the journal: %w", err)
	}
	defer f.Close()
	limited := &io.LimitedReader{R: f, N: j.largest()}
	r := bufio.NewReaderSize(limited, 1<<16)
	at := int64(0)
	for {
		line, length, ended, err := readLine(r)
		if err != nil {
			return damaged, false, fmt.Errorf("reading the journal %q: %w", path, err)
		}
		if len(line) > 0 {
			row, bad := event.Parse(string(line))
			row.Offset = at
			row.Standing = j.check(string(line))
			switch {
			case bad != nil:
				damaged++
			case !fn(row):
				return damaged, false, nil
			}
		}
		if !ended {
			if limited.N <= 0 {
				damaged++
			}
			return damaged, true, nil
		}
		at += length
	}
}

// readLine reads one line without its newline, and tells its whole length. A
// line past maxLine is cut, so that memory stays bounded: its checksum cannot
// hold then.
func readLine(r *bufio.Reader) (line []byte, length int64, ended bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		length += int64(len(part))
		if len(line) < maxLine {
			line = append(line, part...)
		}
		switch {
		case err == nil:
			return bytes.TrimSuffix(line, []byte{'\n'}), length, true, nil
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			return line, length, false, nil
		default:
			return nil, 0, false, err
		}
	}
}
