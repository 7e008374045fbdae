package web

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// hub gives what changed to all that look.
type hub struct {
	mu     sync.Mutex
	topics map[string]*topic // by the page's path
}

// topic is a page that is open somewhere.
type topic struct {
	last    []byte // as it was sent
	readers map[chan []byte]bool
}

// publish renders each page that is looked at, once, and sends what changed.
func (s *Server) publish() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	for path, t := range s.hub.topics {
		html, ok := s.fragment(path)
		if !ok || bytes.Equal(html, t.last) {
			continue
		}
		t.last = html
		frame := eventFrame(html)
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
		html, ok := s.fragment(path)
		if !ok {
			return nil, nil, false
		}
		t = &topic{last: html, readers: map[chan []byte]bool{}}
		s.hub.topics[path] = t
	}
	c = make(chan []byte, 1)
	c <- eventFrame(t.last)
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

// eventFrame is a server-sent event.
func eventFrame(html []byte) []byte {
	var b bytes.Buffer
	b.WriteString("event: update\n")
	for line := range bytes.Lines(html) {
		b.WriteString("data: ")
		b.Write(bytes.TrimRight(line, "\r\n"))
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// events keeps a page up to date.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Query().Get("page")
	flush := http.NewResponseController(w)
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.HasPrefix(path, "/events") || strings.HasPrefix(path, apiRoot) {
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
	if _, err := fmt.Fprint(w, "retry: 2000\n\n"); err != nil || flush.Flush() != nil {
		return
	}
	for {
		select {
		case <-r.Context().Done():
			return
		case frame := <-c:
			if _, err := w.Write(frame); err != nil || flush.Flush() != nil {
				return
			}
		}
	}
}
