package web

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// hub sends page updates to every open browser.
type hub struct {
	mu     sync.Mutex
	topics map[string]*topic // by page path
	leave  func()            // ends the record that a page is open; nil: none is
}

// topic is a page open in at least one browser.
type topic struct {
	last    []byte // the events sent last
	readers map[chan []byte]bool
}

const (
	maxTopics    = 500              // open pages
	writeTimeout = 30 * time.Second // a reader that takes longer for an update is dropped
)

// publish renders each open page once and sends those that changed.
func (s *Server) publish() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	for path, t := range s.hub.topics {
		frame, ok := s.frame(path)
		if !ok || bytes.Equal(frame, t.last) {
			continue
		}
		t.last = frame
		for c := range t.readers {
			offer(c, frame)
		}
	}
}

// offer replaces an update the reader has not taken yet: only the newest counts.
func offer(c chan []byte, frame []byte) {
	select {
	case <-c:
	default:
	}
	c <- frame // only the hub sends, so there is room
}

// subscribe adds a reader of a page.
func (s *Server) subscribe(path string) (c chan []byte, leave func(), ok bool) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	t := s.hub.topics[path]
	if t == nil {
		if len(s.hub.topics) >= maxTopics {
			return nil, nil, false
		}
		frame, ok := s.frame(path)
		if !ok {
			return nil, nil, false
		}
		t = &topic{last: frame, readers: map[chan []byte]bool{}}
		s.hub.topics[path] = t
	}
	c = make(chan []byte, 1)
	c <- t.last
	t.readers[c] = true
	if s.Join != nil && s.hub.leave == nil {
		s.hub.leave, _ = s.Join() // pages work without the record; the next page tries again
	}
	return c, func() {
		s.hub.mu.Lock()
		defer s.hub.mu.Unlock()
		delete(t.readers, c)
		if len(t.readers) == 0 {
			delete(s.hub.topics, path)
		}
		if len(s.hub.topics) == 0 && s.hub.leave != nil {
			s.hub.leave()
			s.hub.leave = nil
		}
	}, true
}

// frame returns the events that update a page: the number of open questions, and the page's
// content unless path is empty.
func (s *Server) frame(path string) ([]byte, bool) {
	var b bytes.Buffer
	waiting := 0
	if f := s.now.Load(); f != nil {
		waiting = len(f.Questions)
	}
	fmt.Fprintf(&b, "event: questions\ndata: %d\n\n", waiting)
	if path == "" {
		return b.Bytes(), true
	}
	html, ok := s.fragment(path)
	if !ok {
		return nil, false
	}
	b.WriteString("event: update\n")
	for line := range bytes.Lines(html) {
		b.WriteString("data: ")
		b.Write(bytes.TrimRight(line, "\r\n"))
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	return b.Bytes(), true
}

// events streams the updates of a page.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Query().Get("page")
	to := http.NewResponseController(w)
	if path != "" && !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") {
		http.Error(w, "page: expected a path of this server", http.StatusBadRequest)
		return
	}
	c, leave, ok := s.subscribe(path)
	if !ok {
		http.Error(w, "there is no such page", http.StatusNotFound)
		return
	}
	defer leave()
	w.Header().Set("Content-Type", "text/event-stream")
	if _, err := fmt.Fprint(w, "retry: 2000\n\n"); err != nil || to.Flush() != nil {
		return
	}
	for {
		select {
		case <-r.Context().Done():
			return
		case frame := <-c:
			_ = to.SetWriteDeadline(time.Now().Add(writeTimeout)) // without a deadline, a dead reader is noticed late
			if _, err := w.Write(frame); err != nil || to.Flush() != nil {
				return
			}
		}
	}
}
