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

// largest bounds what is read of a segment. Segments rotate long before; a larger file is a hole or
// a flood that something else made.
func (j *journal) largest() int64 { return max(16*j.limit, 4*maxLine) }

// scan calls fn for each intact row of one segment in order, until fn returns false. It counts and
// skips lines that are torn, glued together or garbage.
func (j *journal) scan(path string, fn func(event.Row) bool) (damaged int, more bool, err error) {
	_, damaged, more, err = j.scanFrom(path, 0, false, fn)
	return damaged, more, err
}

// scanFrom scans from an offset and returns where the last whole line ends. With ended, it leaves a
// last line without a newline for later: another process may still be writing it.
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

// readLine reads one line without its newline and returns its whole length. It cuts a line past
// maxLine, to bound memory; the checksum of that line cannot match.
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
