// Package giteamock is a Gitea in memory, written from the published API of
// version 1.26 and what its server is known to do: labels go by id, pages hold
// 50, the timeline has pages without a Link header, comments have none, and a
// comment on an issue that is not there is answered with 500.
package giteamock

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"warp/internal/testkit/forgetest/hub"
)

const most = 50

type server struct{ *hub.Hub }

// Start starts a server for a hub.
func Start(t testing.TB, h *hub.Hub) *httptest.Server {
	s := server{h}
	const repo = "/api/v1/repos/octo/widgets"
	mux := http.NewServeMux()
	for pattern, fn := range map[string]func(http.ResponseWriter, *http.Request, string){
		"GET /api/v1/user":                                    s.user,
		"GET " + repo + "/issues":                             s.list,
		"POST " + repo + "/issues":                            s.create,
		"GET " + repo + "/issues/{n}":                         s.item(s.get),
		"PATCH " + repo + "/issues/{n}":                       s.item(s.edit),
		"GET " + repo + "/issues/{n}/comments":                s.item(s.comments),
		"POST " + repo + "/issues/{n}/comments":               s.item(s.comment),
		"PATCH " + repo + "/issues/comments/{id}":             s.editComment,
		"GET " + repo + "/issues/{n}/timeline":                s.item(s.timeline),
		"POST " + repo + "/issues/{n}/labels":                 s.item(s.mark),
		"DELETE " + repo + "/issues/{n}/labels/{label}":       s.item(s.unmark),
		"GET " + repo + "/labels":                             s.labels,
		"POST " + repo + "/labels":                            s.makeLabel,
		"GET " + repo + "/collaborators/{someone}/permission": s.permission,
		"GET " + repo + "/assignees":                          s.assignees,
		"GET " + repo + "/pulls":                              s.pulls,
		"POST " + repo + "/pulls":                             s.open,
		"GET " + repo + "/pulls/{n}":                          s.item(s.pull),
		"GET " + repo + "/pulls/{n}/reviews":                  s.item(s.reviews),
		"GET " + repo + "/pulls/{n}/reviews/{id}/comments":    s.item(s.reviewComments),
		"GET " + repo + "/commits/{sha}/status":               s.statuses,
		"POST " + repo + "/pulls/{n}/merge":                   s.item(s.merge),
	} {
		mux.HandleFunc(pattern, s.login(fn))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		fail(w, http.StatusNotFound, "The target couldn't be found.")
	})
	return h.Serve(t, mux)
}

// login lets in who has a token; the hub is locked while a request is served.
func (s server) login(fn func(http.ResponseWriter, *http.Request, string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.Lock()
		defer s.Unlock()
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "token ")
		who, ok := s.Tokens[token]
		if !ok {
			fail(w, http.StatusUnauthorized, "token is required")
			return
		}
		fn(w, r, who)
	}
}

func (s server) item(fn func(http.ResponseWriter, *http.Request, string, *hub.Item)) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, r *http.Request, who string) {
		n, _ := strconv.Atoi(r.PathValue("n"))
		i := s.Item(n)
		switch {
		case i == nil && strings.HasSuffix(r.URL.Path, "/comments"):
			fail(w, http.StatusInternalServerError, "issue does not exist")
		case i == nil || strings.Contains(r.URL.Path, "/pulls/") && i.Pull == nil:
			fail(w, http.StatusNotFound, "The target couldn't be found.")
		default:
			fn(w, r, who, i)
		}
	}
}

func fail(w http.ResponseWriter, status int, message string) {
	hub.JSON(w, status, hub.Object{"message": message, "url": "http://gitea.invalid/api/swagger"})
}

func decode(w http.ResponseWriter, r *http.Request, into any) bool {
	if err := json.NewDecoder(r.Body).Decode(into); err != nil {
		fail(w, http.StatusUnprocessableEntity, err.Error())
		return false
	}
	return true
}

func user(login string) hub.Object { return hub.Object{"id": 1, "login": login} }

func (s server) user(w http.ResponseWriter, _ *http.Request, who string) {
	hub.JSON(w, http.StatusOK, user(who))
}

// permission answers repository admins about everybody, others only about
// themselves.
func (s server) permission(w http.ResponseWriter, r *http.Request, who string) {
	about := r.PathValue("someone")
	right, ok := s.Rights[about]
	switch {
	case s.Rights[who] != "admin" && about != who:
		fail(w, http.StatusForbidden, "Only admins can query all permissions, repo admins can query all repo permissions, collaborators can query only their own")
	case !ok:
		fail(w, http.StatusNotFound, "user does not exist")
	default:
		hub.JSON(w, http.StatusOK, hub.Object{"permission": right, "role_name": right, "user": user(about)})
	}
}

func (s server) assignees(w http.ResponseWriter, _ *http.Request, _ string) {
	out := []hub.Object{}
	for who, right := range s.Rights {
		if right != "read" {
			out = append(out, user(who))
		}
	}
	hub.JSON(w, http.StatusOK, out)
}

func label(l hub.Label) hub.Object {
	return hub.Object{"id": l.ID, "name": l.Name, "color": l.Color, "description": l.Description}
}

func (s server) labels(w http.ResponseWriter, r *http.Request, _ string) {
	out := []hub.Object{}
	for _, l := range hub.Page(w, r, s.Labels, "limit", most) {
		out = append(out, label(l))
	}
	hub.JSON(w, http.StatusOK, out)
}

// makeLabel makes a label; Gitea makes a second one of the same name as well.
func (s server) makeLabel(w http.ResponseWriter, r *http.Request, _ string) {
	var in struct{ Name, Color, Description string }
	if !decode(w, r, &in) {
		return
	}
	l := hub.Label{ID: s.ID(), Name: in.Name, Color: strings.TrimPrefix(in.Color, "#"), Description: in.Description}
	s.Labels = append(s.Labels, l)
	hub.JSON(w, http.StatusCreated, label(l))
}

func (s server) byID(id int64) (hub.Label, bool) {
	at := slices.IndexFunc(s.Labels, func(l hub.Label) bool { return l.ID == id })
	if at < 0 {
		return hub.Label{}, false
	}
	return s.Labels[at], true
}
