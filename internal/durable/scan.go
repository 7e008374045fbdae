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
	_, damaged, more, err = j.scanFrom(path, 0, false, fn)
	return damaged, more, err
}

// scanFrom is scan from an offset on, and tells where the last whole line ends. With
// ended, a last line without its newline is left for later: it may be on its way.
func (j *journal) scanFrom(path string, from int64, ended bool, fn func(event.Row) bool) (at int64, damaged int, more bool, err error) {
	at = from
	f, err := j.fs.Open(path, os.O_RDONLY, 0)
	if isNotExist(err) {
		return at, 0, true, nil
	}
	if err != nil {
		return at, 0, false, fmt.Errorf("reading the journal: %w", err)
	}
	defer f.Close()
	left := io.NewSectionReader(f, from, max(0, j.largest()-from))
	r := bufio.NewReaderSize(left, 1<<16)
	var reader event.Reader
	for {
		line, length, whole, err := readLine(r)
		if err != nil {
			return at, damaged, false, fmt.Errorf("reading the journal %q: %w", path, err)
		}
		if len(line) > 0 && (whole || !ended) {
			row, bad := reader.Parse(string(line))
			row.Offset = at
			row.Standing = j.check(string(line))
			switch {
			case bad != nil:
				damaged++
			case !fn(row):
				return at, damaged, false, nil
			}
		}
		if !whole {
			if at+length >= j.largest() {
				damaged++
			}
			return at, damaged, true, nil
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
