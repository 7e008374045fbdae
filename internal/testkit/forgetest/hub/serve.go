package hub

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// Fault is something that goes wrong with requests.
type Fault struct {
	Status int               // the answer; 0 with Hang
	Header map[string]string // on top
	Body   string            // "": {"message": …}
	Times  int               // how often; 0: always
	Method string            // "": any
	Path   string            // part of it; "": any
	Hang   chan<- struct{}   // told when a request arrives, which is then never answered
	After  bool              // the request is carried out, only its answer is lost
	used   int
}

// Break makes requests go wrong from now on.
func (h *Hub) Break(f Fault) {
	h.Lock()
	defer h.Unlock()
	h.faults = append(h.faults, &f)
}

// Watch lets fn see each request before it is served. It has the lock.
func (h *Hub) Watch(fn func(method, path string)) {
	h.Lock()
	defer h.Unlock()
	h.watch = fn
}

// Repair ends all faults.
func (h *Hub) Repair() {
	h.Lock()
	defer h.Unlock()
	h.faults = nil
}

// Requests lists what was asked so far, as "GET /path 200".
func (h *Hub) Requests() []string {
	h.Lock()
	defer h.Unlock()
	return append([]string(nil), h.seen...)
}

// Serve starts a server on 127.0.0.1 until the test ends.
func (h *Hub) Serve(t testing.TB, api http.Handler) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f := h.fault(r)
		if f != nil && f.Hang != nil {
			f.Hang <- struct{}{}
			<-r.Context().Done()
			return
		}
		rec := httptest.NewRecorder()
		if f == nil || f.After {
			api.ServeHTTP(rec, r)
		}
		if f != nil {
			rec = httptest.NewRecorder()
			f.answer(rec)
		}
		h.send(w, r, rec)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func (h *Hub) fault(r *http.Request) *Fault {
	h.Lock()
	defer h.Unlock()
	if h.watch != nil {
		h.watch(r.Method, r.URL.Path)
	}
	for _, f := range h.faults {
		if (f.Method == "" || f.Method == r.Method) && strings.Contains(r.URL.Path, f.Path) && (f.Times == 0 || f.used < f.Times) {
			f.used++
			return f
		}
	}
	return nil
}

func (f *Fault) answer(w http.ResponseWriter) {
	for k, v := range f.Header {
		w.Header().Set(k, v)
	}
	w.WriteHeader(f.Status)
	body := f.Body
	if body == "" {
		body = fmt.Sprintf(`{"message": %q}`, http.StatusText(f.Status))
	}
	fmt.Fprint(w, body)
}

// send gives an answer its ETag, or only says that nothing has changed.
func (h *Hub) send(w http.ResponseWriter, r *http.Request, rec *httptest.ResponseRecorder) {
	for k, v := range rec.Header() {
		w.Header()[k] = v
	}
	status := rec.Code
	if r.Method == http.MethodGet && status == http.StatusOK {
		tag := fmt.Sprintf(`W/"%x"`, sha256.Sum256(append(rec.Body.Bytes(), w.Header().Get("Link")...)))
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			status = http.StatusNotModified
		}
	}
	h.Lock()
	h.seen = append(h.seen, fmt.Sprintf("%s %s %d", r.Method, r.URL.Path, status))
	h.Unlock()
	w.WriteHeader(status)
	if status != http.StatusNotModified {
		_, _ = w.Write(rec.Body.Bytes())
	}
}

// Page cuts a list into pages, with the Link header that leads on.
func Page[T any](w http.ResponseWriter, r *http.Request, list []T, size string, most int) []T {
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	per, _ := strconv.Atoi(r.URL.Query().Get(size))
	if per <= 0 {
		per = 30
	}
	per, page = min(per, most), max(page, 1)
	last := max(1, (len(list)+per-1)/per)
	var links []string
	link := func(rel string, n int) {
		q := r.URL.Query()
		q.Set("page", strconv.Itoa(n))
		u := url.URL{Scheme: "http", Host: r.Host, Path: r.URL.Path, RawQuery: q.Encode()}
		links = append(links, fmt.Sprintf(`<%s>; rel="%s"`, u.String(), rel))
	}
	if page < last {
		link("next", page+1)
		link("last", last)
	}
	if page > 1 {
		link("first", 1)
		link("prev", page-1)
	}
	if len(links) > 0 {
		w.Header().Set("Link", strings.Join(links, ", "))
	}
	from := min((page-1)*per, len(list))
	return list[from:min(from+per, len(list))]
}

// JSON answers with a document.
func JSON(w http.ResponseWriter, status int, x any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(x)
}

// Object is a JSON object.
type Object = map[string]any
