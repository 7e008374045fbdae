package usage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"warp/internal/core/tokens"
	"warp/internal/durable"
)

const (
	readSize = 1 << 20  // bytes read at once
	maxLine  = 64 << 20 // longer lines are skipped
	headSize = 512      // bytes by which a file is recognized
)

// scanner reads transcripts. Its memory use does not depend on their size.
type scanner struct {
	index *Index
	buf   []byte
	stats Stats
}

// Stats are the statistics of a reading.
type Stats struct {
	Files   int   // with something new
	Bytes   int64 // read
	TooLong int   // skipped lines
	Unsaved error // why everything must be read again next time
}

// file reads what is new in a transcript. One that is shorter than what was read, or begins
// differently, was replaced and is read from its beginning: repeated messages are known.
func (s *scanner) file(path, name string, size int64) error {
	was, known := s.index.files[name]
	f, err := durable.OpenPlain(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return fmt.Errorf("reading the transcript %q: %w", path, err)
	}
	defer f.Close()
	if known && (size < was.Offset || fingerprint(f, was.Offset) != was.Head) {
		was.Offset = 0
	}
	if size == was.Offset {
		return nil
	}
	if _, err := f.Seek(was.Offset, io.SeekStart); err != nil {
		return fmt.Errorf("reading the transcript %q: %w", path, err)
	}
	s.stats.Files++
	n, err := s.lines(f)
	if err != nil {
		return fmt.Errorf("reading the transcript %q: %w", path, err)
	}
	was.Offset += n
	was.Head = fingerprint(f, was.Offset)
	s.index.files[name] = was
	return nil
}

// fingerprint returns a hash of the beginning of what was read of a file.
func fingerprint(f io.ReaderAt, offset int64) uint64 {
	b := make([]byte, min(offset, headSize))
	n, _ := f.ReadAt(b, 0) // a file that is shorter now has a different one
	h := uint64(14695981039346656037)
	for _, c := range b[:n] {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// lines reads whole lines and returns their length. The last line may be incomplete: it is parsed,
// and read again next time.
func (s *scanner) lines(r io.Reader) (done int64, err error) {
	if s.buf == nil {
		s.buf = make([]byte, readSize)
	}
	have, skipping := 0, false
	for {
		if have == len(s.buf) {
			if len(s.buf) < maxLine {
				s.buf = append(s.buf, make([]byte, len(s.buf))...)
			} else { // the rest of the line is skipped
				if !skipping {
					s.stats.TooLong++
				}
				done, have, skipping = done+int64(have), 0, true
			}
		}
		n, err := r.Read(s.buf[have:])
		s.stats.Bytes += int64(n)
		used := 0
		end := have + n
		for from := have; ; {
			i := bytes.IndexByte(s.buf[from:end], '\n')
			if i < 0 {
				break
			}
			if !skipping {
				s.line(s.buf[used : from+i])
			}
			skipping = false
			from += i + 1
			used = from
		}
		done += int64(used)
		have = copy(s.buf, s.buf[used:end])
		if errors.Is(err, io.EOF) {
			if !skipping {
				s.line(s.buf[:have])
			}
			return done, nil
		}
		if err != nil {
			return done, err
		}
	}
}

func (s *scanner) line(line []byte) {
	if m, ok := tokens.ReadLine(line); ok {
		s.index.take(m)
	}
}
