package giteamock

import (
	"net/http"

	"warp/internal/testkit/forgetest/hub"
)

func (s server) show(i *hub.Item) hub.Object {
	home := 1
	if i.Pull.Fork {
		home = 2
	}
	out := hub.Object{
		"number": i.Number, "title": i.Title, "body": i.Body, "state": "closed", "merged": i.Pull.Merged, "html_url": "http://gitea.invalid/octo/widgets/pulls/x",
		"head": hub.Object{"ref": i.Pull.Head, "label": i.Pull.Head, "sha": s.Head(i.Pull), "repo_id": home}, "base": hub.Object{"ref": i.Pull.Base, "label": i.Pull.Base, "repo_id": 1},
	}
	if i.Open {
		out["state"] = "open"
	}
	return out
}

func (s server) pull(w http.ResponseWriter, _ *http.Request, _ string, i *hub.Item) {
	hub.JSON(w, http.StatusOK, s.show(i))
}

func (s server) pulls(w http.ResponseWriter, r *http.Request, _ string) {
	var found []*hub.Item
	for _, i := range s.Items {
		if i.Pull != nil && (r.URL.Query().Get("state") == "all" || i.Open) {
			found = append(found, i)
		}
	}
	out := []hub.Object{}
	for _, i := range hub.Page(w, r, found, "limit", most) {
		out = append(out, s.show(i))
	}
	hub.JSON(w, http.StatusOK, out)
}

func (s server) open(w http.ResponseWriter, r *http.Request, who string) {
	var in struct{ Title, Body, Head, Base string }
	if !decode(w, r, &in) {
		return
	}
	for _, i := range s.Items {
		if i.Pull != nil && i.Open && !i.Pull.Fork && i.Pull.Head == in.Head && i.Pull.Base == in.Base {
			fail(w, http.StatusConflict, "pull request already exists for these targets")
			return
		}
	}
	i := s.Add(hub.Item{Title: in.Title, Body: in.Body, Author: who, Pull: &hub.Pull{Head: in.Head, Base: in.Base, SHA: "head-of-" + in.Head}})
	hub.JSON(w, http.StatusCreated, s.show(i))
}

func (s server) merge(w http.ResponseWriter, r *http.Request, _ string, i *hub.Item) {
	var in struct {
		Do   string
		Head string `json:"head_commit_id"`
	}
	if !decode(w, r, &in) {
		return
	}
	switch {
	case in.Do == "":
		fail(w, http.StatusUnprocessableEntity, "[Do]: Required")
	case in.Head != "" && in.Head != s.Head(i.Pull):
		fail(w, http.StatusConflict, "head out of date")
	case i.Pull.Clash || !i.Open:
		fail(w, http.StatusMethodNotAllowed, "Please try again later")
	default:
		s.Head(i.Pull)
		i.Pull.Merged, i.Open, i.Updated = true, false, s.Tick()
		w.WriteHeader(http.StatusOK)
	}
}
