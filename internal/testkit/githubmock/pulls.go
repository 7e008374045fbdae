package githubmock

import (
	"net/http"
	"slices"

	"warp/internal/testkit/forgetest/hub"
)

func (s server) show(i *hub.Item) hub.Object {
	out := hub.Object{
		"number": i.Number, "title": i.Title, "body": i.Body, "state": "closed", "merged": i.Pull.Merged, "html_url": "https://github.com/octo/widgets/pull/x",
		"head": hub.Object{"ref": i.Pull.Head, "label": "octo:" + i.Pull.Head, "sha": s.Head(i.Pull)}, "base": hub.Object{"ref": i.Pull.Base},
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
	q := r.URL.Query()
	var found []*hub.Item
	for _, i := range s.Items {
		if i.Pull != nil && (q.Get("state") == "all" || i.Open) &&
			(q.Get("head") == "" || !i.Pull.Fork && q.Get("head") == "octo:"+i.Pull.Head) && (q.Get("base") == "" || q.Get("base") == i.Pull.Base) {
			found = append(found, i)
		}
	}
	slices.Reverse(found) // the newest first
	out := []hub.Object{}
	for _, i := range hub.Page(w, r, found, "per_page", 100) {
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
			fail(w, http.StatusUnprocessableEntity, "Validation Failed", hub.Object{"resource": "PullRequest", "code": "custom", "message": "A pull request already exists for octo:" + in.Head + "."})
			return
		}
	}
	i := s.Add(hub.Item{Title: in.Title, Body: in.Body, Author: who, Pull: &hub.Pull{Head: in.Head, Base: in.Base, SHA: "head-of-" + in.Head}})
	hub.JSON(w, http.StatusCreated, s.show(i))
}

func (s server) merge(w http.ResponseWriter, r *http.Request, _ string, i *hub.Item) {
	var in struct {
		SHA         string
		MergeMethod string `json:"merge_method"`
	}
	if !decode(w, r, &in) {
		return
	}
	switch {
	case in.SHA != "" && in.SHA != s.Head(i.Pull):
		fail(w, http.StatusConflict, "Head branch was modified. Review and try the merge again.")
	case i.Pull.Clash || !i.Open:
		fail(w, http.StatusMethodNotAllowed, "Pull Request is not mergeable")
	default:
		s.Head(i.Pull)
		i.Pull.Merged, i.Open, i.Updated = true, false, s.Tick()
		hub.JSON(w, http.StatusOK, hub.Object{"sha": "merged", "merged": true, "message": "Pull Request successfully merged"})
	}
}
