package web

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// hub gives what changed to all that look.
type hub struct {
	mu     sync.Mutex
	topics map[string]*topic // by the page's path
}

// topic is a page that is open somewhere.
type topic struct {
	last    []byte // events, as they were sent
	readers map[chan []byte]bool
}

const (
	maxTopics = 500              // pages that are open at once
	takeTime  = 30 * time.Second // for a reader to take an update; one that does not is let go
)

// publish renders each page that is looked at, once, and sends what changed.
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

// offer replaces what a slow reader has not taken yet: only the newest counts.
func offer(c chan []byte, frame []byte) {
	select {
	case <-c:
	default:
	}
	c <- frame // the hub alone sends, so there is room
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
	return c, func() {
		s.hub.mu.Lock()
		defer s.hub.mu.Unlock()
		delete(t.readers, c)
		if len(t.readers) == 0 {
			delete(s.hub.topics, path)
		}
	}, true
}

// frame are the events that bring a page up to date: how many questions wait, and its
// content. Without a path there is only the first.
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

// events keeps a page up to date.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Query().Get("page")
	to := http.NewResponseController(w)
	if path != "" && !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") {
		http.Error(w, "page: a path of this server is expected", http.StatusBadRequest)
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
			_ = to.SetWriteDeadline(time.Now().Add(takeTime)) // without one, a reader that is gone is noticed later
			if _, err := w.Write(frame); err != nil || to.Flush() != nil {
				return
			}
		}
	}
}
