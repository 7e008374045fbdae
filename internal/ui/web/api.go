package web

import (
	"encoding/json"
	"net/http"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/ui/feed"
)

// apiRoot is the path prefix of the JSON API.
const apiRoot = "/api/v1"

// resource is one endpoint of the API. openapi.json describes them all.
type resource struct {
	method, path string
	answer       func(*Server, *http.Request) (any, error)
}

// resources returns every API endpoint except the description itself.
func resources() []resource {
	return []resource{
		{"GET", "/session", func(s *Server, _ *http.Request) (any, error) {
			return map[string]any{"csrf": s.CSRF, "control": s.Control}, nil
		}},
		{"GET", "/items", onFeed(listItems)},
		{"GET", "/items/{kind}/{name}", onFeed(func(_ *Server, f *feed.Feed, r *http.Request) (any, error) { return findItem(f, r) })},
		{"GET", "/issues/{issue}/evidence", onFeed(readEvidence)},
		{"GET", "/questions", onFeed(listQuestions)},
		{"GET", "/log", onFeed(listLog)},
		{"GET", "/health", func(s *Server, r *http.Request) (any, error) {
			return s.checkHealth(r.Context(), r.FormValue("again") != ""), nil
		}},
		{"POST", "/questions/{id}/answer", byAction(onFeed(answerLine))},
		{"POST", "/items/{kind}/{name}/{verb}", byAction(onFeed(verbLine))},
		{"POST", "/workflows/{name}/restore", byAction(onFeed(restoreLine))},
		{"GET", "/fleet", apiFleet},
		{"GET", "/fleet/{repo}/{issue}", apiRequirement},
		{"POST", "/fleet/{verb}", byAction(wholeFleetLine)},
		{"POST", "/fleet/{repo}/{issue}/answer", byAction(fleetAnswerLine)},
		{"POST", "/fleet/{repo}/{issue}/{verb}", byAction(fleetVerbLine)},
	}
}

// byAction runs a button's command and answers with its output.
func byAction(line func(*Server, *http.Request) (order, error)) func(*Server, *http.Request) (any, error) {
	return func(s *Server, r *http.Request) (any, error) {
		o, err := s.order(r, action{"", line})
		if err != nil {
			return nil, err
		}
		said := s.run(r, o)
		return struct {
			Line []string `json:"line"`
			Said
		}{o.args, said}, nil
	}
}

// problem is the JSON body of an error.
type problem struct {
	Error string `json:"error"`
}

// answer returns the handler of an API endpoint.
func (s *Server) answer(r resource) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		data, err := r.answer(s, req)
		if err != nil {
			writeJSON(w, errorCode(err), problem{err.Error()})
			return
		}
		writeJSON(w, http.StatusOK, data)
	}
}

func writeJSON(w http.ResponseWriter, code int, data any) {
	text, err := json.MarshalIndent(data, "", "  ")
	if err != nil {
		code, text = http.StatusInternalServerError, []byte(`{"error":"the answer could not be written"}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(append(text, '\n')) // the reader may be gone
}

func serveDescription(w http.ResponseWriter, _ *http.Request) {
	text, _ := assets.ReadFile("openapi.json") // embedded, so it cannot fail
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(text)
}

// maxAPIWords is the most bytes of a title or line in the API.
const maxAPIWords = 64_000

func listItems(_ *Server, f *feed.Feed, r *http.Request) (any, error) {
	list := []feed.Item{}
	for _, i := range f.Items {
		if q := newFilter(r); q.fits(i) {
			i.Title, i.Why = text.Clip(i.Title, maxAPIWords), text.Clip(i.Why, maxAPIWords)
			list = append(list, i)
		}
	}
	return map[string]any{"project": f.Project, "items": list, "today": f.Today, "notes": f.Notes}, nil
}

func readEvidence(_ *Server, f *feed.Feed, r *http.Request) (any, error) {
	a := f.Book.Account(r.PathValue("issue"))
	if len(a.Criteria) == 0 && a.Outcome == nil && a.Cost == (evidence.Cost{}) {
		return nil, &notFound{"there is no evidence about issue " + a.Issue}
	}
	return a, nil
}

func listQuestions(_ *Server, f *feed.Feed, r *http.Request) (any, error) {
	list := []feed.Asked{}
	for _, q := range f.Inbox {
		if r.FormValue("all") != "" || q.AnsweredAt.IsZero() {
			list = append(list, q)
		}
	}
	return map[string]any{"questions": list}, nil
}

// maxLog is the most log entries in one answer; the newest are kept.
const maxLog = 1000

func listLog(_ *Server, f *feed.Feed, r *http.Request) (any, error) {
	list := []feed.Entry{}
	for _, e := range f.Log() {
		if name := r.FormValue("name"); name == "" || strings.TrimPrefix(e.Name, "#") == strings.TrimPrefix(name, "#") {
			e.Text = text.Clip(e.Text, maxAPIWords)
			list = append(list, e)
		}
	}
	return map[string]any{"entries": list[max(0, len(list)-maxLog):]}, nil
}
