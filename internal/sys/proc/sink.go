package proc

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
)

// A sink takes both outputs of a command: all of it goes to the log, the last bytes to memory. Once
// closed it takes no more, so a late writer changes neither the log nor a Result.
type sink struct {
	mu                   sync.Mutex
	log                  *os.File // nil if none
	logErr               error
	clean                func([]byte) []byte // nil leaves the output as it is
	stdout, stderr, both tail
	closed               bool
	said                 func(size int64) // nil if not counted
}

func newSink(log string, keep int, clean func([]byte) []byte) (*sink, error) {
	s := &sink{stdout: tail{max: keep}, stderr: tail{max: keep}, both: tail{max: keep}, clean: clean}
	if log == "" {
		return s, nil
	}
	if err := os.MkdirAll(filepath.Dir(log), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(log, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	s.log = f
	return s, nil
}

// A stream is the writer for one of the two outputs.
type stream struct {
	s *sink
	t *tail
}

// Write never fails: a full disk must not stop the command, only be reported.
func (w stream) Write(p []byte) (int, error) {
	s := w.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return len(p), nil
	}
	w.t.write(p)
	s.both.write(p)
	if s.said != nil {
		s.said(s.both.size)
	}
	switch {
	case s.log == nil:
	case s.clean == nil:
		s.keep(p)
	default:
		w.t.rest = append(w.t.rest, p...)
		w.t.rest = s.keepLines(w.t.rest)
	}
	return len(p), nil
}

// An unending line is cleaned in pieces that overlap, so that a text shorter than the overlap is
// never cut in two.
const (
	longestRest = 64 << 10
	restOverlap = 4 << 10
)

// keepLines writes the whole lines of one output, cleaned, and returns the rest.
func (s *sink) keepLines(text []byte) (rest []byte) {
	end := bytes.LastIndexByte(text, '\n') + 1
	if end == 0 && len(text) > longestRest {
		cleaned := s.clean(text)
		end = max(0, len(cleaned)-restOverlap)
		s.keep(cleaned[:end])
		return append([]byte(nil), cleaned[end:]...)
	}
	if end > 0 {
		s.keep(s.clean(text[:end]))
	}
	return append(text[:0], text[end:]...)
}

func (s *sink) keep(p []byte) {
	if s.logErr == nil {
		_, s.logErr = s.log.Write(p)
	}
}

func (s *sink) size() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.both.size
}

// fill closes the sink and moves its content to the Result.
func (s *sink) fill(r *Result) {
	s.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Stdout, r.Stderr, r.Output = s.stdout.bytes(), s.stderr.bytes(), s.both.bytes()
	r.StdoutSize, r.StderrSize = s.stdout.size, s.stderr.size
	r.LogErr = s.logErr
}

func (s *sink) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	for _, t := range []*tail{&s.stdout, &s.stderr} {
		if len(t.rest) > 0 {
			s.keep(s.clean(t.rest))
		}
	}
	if s.log != nil {
		if err := s.log.Close(); s.logErr == nil {
			s.logErr = err
		}
	}
}

// A tail keeps the last max bytes written to it. It allocates memory only as bytes arrive, because
// max may be generous.
type tail struct {
	max  int
	buf  []byte
	next int    // the oldest byte, once buf is full
	size int64  // all bytes written
	rest []byte // an unfinished line, for the log
}

func (t *tail) write(p []byte) {
	t.size += int64(len(p))
	if len(p) >= t.max {
		t.buf, t.next = append(t.buf[:0], p[len(p)-t.max:]...), 0
		return
	}
	n := min(t.max-len(t.buf), len(p))
	t.buf, p = append(t.buf, p[:n]...), p[n:]
	for len(p) > 0 {
		n := copy(t.buf[t.next:], p)
		t.next, p = (t.next+n)%t.max, p[n:]
	}
}

func (t *tail) bytes() []byte {
	if t.next == 0 {
		return t.buf
	}
	return append(t.buf[t.next:len(t.buf):len(t.buf)], t.buf[:t.next]...)
}
