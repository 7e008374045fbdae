// Package githubmock is a GitHub in memory, written from the published REST API
// (version 2022-11-28) and one query of the GraphQL API: issues, comments, labels, events, permissions and pull
// requests, with pages, ETags and the messages that GitHub sends.
package githubmock

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"warp/internal/testkit/forgetest/hub"
)

type server struct{ *hub.Hub }

// Start starts a server for a hub.
func Start(t testing.TB, h *hub.Hub) *httptest.Server {
	s := server{h}
	mux := http.NewServeMux()
	for pattern, fn := range map[string]func(http.ResponseWriter, *http.Request, string){
		"GET /user":                                                  s.user,
		"POST /graphql":                                              s.graphQL,
		"GET /repos/octo/widgets/issues":                             s.list,
		"POST /repos/octo/widgets/issues":                            s.create,
		"GET /repos/octo/widgets/issues/{n}":                         s.item(s.get),
		"PATCH /repos/octo/widgets/issues/{n}":                       s.item(s.edit),
		"GET /repos/octo/widgets/issues/{n}/comments":                s.item(s.comments),
		"POST /repos/octo/widgets/issues/{n}/comments":               s.item(s.comment),
		"PATCH /repos/octo/widgets/issues/comments/{id}":             s.editComment,
		"GET /repos/octo/widgets/issues/{n}/events":                  s.item(s.events),
		"POST /repos/octo/widgets/issues/{n}/labels":                 s.item(s.mark),
		"DELETE /repos/octo/widgets/issues/{n}/labels/{label}":       s.item(s.unmark),
		"GET /repos/octo/widgets/labels":                             s.labels,
		"POST /repos/octo/widgets/labels":                            s.makeLabel,
		"GET /repos/octo/widgets/collaborators/{someone}/permission": s.permission,
		"GET /repos/octo/widgets/pulls":                              s.pulls,
		"POST /repos/octo/widgets/pulls":                             s.open,
		"GET /repos/octo/widgets/pulls/{n}":                          s.item(s.pull),
		"GET /repos/octo/widgets/pulls/{n}/reviews":                  s.item(s.reviews),
		"GET /repos/octo/widgets/pulls/{n}/reviews/{id}/comments":    s.item(s.reviewComments),
		"GET /repos/octo/widgets/commits/{sha}/check-runs":           s.checkRuns,
		"GET /repos/octo/widgets/commits/{sha}/status":               s.statuses,
		"GET /repos/octo/widgets/actions/jobs/{id}/logs":             s.jobLog,
		"PUT /repos/octo/widgets/pulls/{n}/merge":                    s.item(s.merge),
	} {
		mux.HandleFunc(strings.Replace(pattern, "octo/widgets", h.Owner+"/"+h.Name, 1), s.login(fn))
	}
	mux.HandleFunc("GET /logs/{id}", s.storedLog)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fail(w, http.StatusNotFound, "Not Found") })
	return h.Serve(t, mux)
}

// login lets in who has a token; the hub is locked while a request is served.
func (s server) login(fn func(http.ResponseWriter, *http.Request, string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.Lock()
		defer s.Unlock()
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		who, ok := s.Tokens[token]
		switch {
		case token == "":
			fail(w, http.StatusUnauthorized, "Requires authentication")
		case !ok:
			fail(w, http.StatusUnauthorized, "Bad credentials")
		default:
			w.Header().Set("X-OAuth-Scopes", "repo")
			fn(w, r, who)
		}
	}
}

func (s server) item(fn func(http.ResponseWriter, *http.Request, string, *hub.Item)) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, r *http.Request, who string) {
		n, _ := strconv.Atoi(r.PathValue("n"))
		i := s.Item(n)
		if i == nil || strings.Contains(r.URL.Path, "/pulls/") && i.Pull == nil {
			fail(w, http.StatusNotFound, "Not Found")
			return
		}
		fn(w, r, who, i)
	}
}

func fail(w http.ResponseWriter, status int, message string, errs ...hub.Object) {
	hub.JSON(w, status, hub.Object{"message": message, "errors": errs, "documentation_url": "https://docs.github.com/rest", "status": strconv.Itoa(status)})
}

func (s server) user(w http.ResponseWriter, _ *http.Request, who string) {
	hub.JSON(w, http.StatusOK, user(who))
}

func user(login string) hub.Object { return hub.Object{"login": login, "type": "User"} }

func (s server) permission(w http.ResponseWriter, r *http.Request, _ string) {
	who := r.PathValue("someone")
	right, ok := s.Rights[who]
	if !ok {
		fail(w, http.StatusNotFound, who+" is not a user")
		return
	}
	hub.JSON(w, http.StatusOK, hub.Object{"permission": right, "role_name": right, "user": user(who)})
}

func (s server) labels(w http.ResponseWriter, r *http.Request, _ string) {
	out := []hub.Object{}
	for _, l := range hub.Page(w, r, s.Labels, "per_page", 100) {
		out = append(out, label(l))
	}
	hub.JSON(w, http.StatusOK, out)
}

func label(l hub.Label) hub.Object {
	return hub.Object{"id": l.ID, "name": l.Name, "color": l.Color, "description": l.Description, "default": false}
}

func (s server) makeLabel(w http.ResponseWriter, r *http.Request, _ string) {
	var in struct{ Name, Color, Description string }
	if !decode(w, r, &in) {
		return
	}
	if slices.ContainsFunc(s.Labels, func(l hub.Label) bool { return strings.EqualFold(l.Name, in.Name) }) {
		fail(w, http.StatusUnprocessableEntity, "Validation Failed", hub.Object{"resource": "Label", "code": "already_exists", "field": "name"})
		return
	}
	if len(in.Color) != 6 {
		fail(w, http.StatusUnprocessableEntity, "Validation Failed", hub.Object{"resource": "Label", "code": "invalid", "field": "color"})
		return
	}
	l := hub.Label{ID: s.ID(), Name: in.Name, Color: in.Color, Description: in.Description}
	s.Labels = append(s.Labels, l)
	hub.JSON(w, http.StatusCreated, label(l))
}
