package githubmock

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"warp/internal/testkit/forgetest/hub"
)

func decode(w http.ResponseWriter, r *http.Request, into any) bool {
	if err := json.NewDecoder(r.Body).Decode(into); err != nil {
		fail(w, http.StatusBadRequest, "Problems parsing JSON")
		return false
	}
	return true
}

func (s server) issue(i *hub.Item) hub.Object {
	out := hub.Object{
		"number": i.Number, "title": i.Title, "body": i.Body, "state": "closed", "user": user(i.Author), "author_association": "MEMBER",
		"html_url": "https://github.com/octo/widgets/issues/x", "created_at": i.Created, "updated_at": i.Updated, "comments": len(i.Comments),
	}
	if i.Open {
		out["state"] = "open"
	}
	labels := []hub.Object{}
	for _, l := range i.Labels {
		labels = append(labels, label(s.Label(l)))
	}
	out["labels"] = labels
	assignees := []hub.Object{}
	for _, a := range i.Assignees {
		assignees = append(assignees, user(a))
	}
	out["assignees"] = assignees
	if i.Pull != nil {
		out["pull_request"] = hub.Object{"url": "https://api.github.com/repos/octo/widgets/pulls/x"}
	}
	return out
}

func (s server) list(w http.ResponseWriter, r *http.Request, _ string) {
	q := r.URL.Query()
	state := q.Get("state")
	var found []*hub.Item
	for _, i := range s.Items {
		ok := state == "all" || i.Open == (state != "closed")
		ok = ok && (q.Get("creator") == "" || q.Get("creator") == i.Author)
		for _, l := range strings.FieldsFunc(q.Get("labels"), func(r rune) bool { return r == ',' }) {
			ok = ok && slices.ContainsFunc(i.Labels, func(have string) bool { return strings.EqualFold(have, l) })
		}
		if ok {
			found = append(found, i)
		}
	}
	if q.Get("direction") != "asc" {
		slices.Reverse(found)
	}
	out := []hub.Object{}
	for _, i := range hub.Page(w, r, found, "per_page", 100) {
		out = append(out, s.issue(i))
	}
	hub.JSON(w, http.StatusOK, out)
}

func (s server) create(w http.ResponseWriter, r *http.Request, who string) {
	var in struct {
		Title, Body string
		Labels      []string
		Assignees   []string
	}
	if !decode(w, r, &in) {
		return
	}
	if strings.TrimSpace(in.Title) == "" {
		fail(w, http.StatusUnprocessableEntity, "Validation Failed", hub.Object{"resource": "Issue", "code": "missing_field", "field": "title"})
		return
	}
	hub.JSON(w, http.StatusCreated, s.issue(s.Add(hub.Item{Title: in.Title, Body: in.Body, Labels: in.Labels, Assignees: in.Assignees, Author: who})))
}

func (s server) get(w http.ResponseWriter, _ *http.Request, _ string, i *hub.Item) {
	hub.JSON(w, http.StatusOK, s.issue(i))
}

func (s server) edit(w http.ResponseWriter, r *http.Request, who string, i *hub.Item) {
	var in struct{ Title, Body, State *string }
	if !decode(w, r, &in) {
		return
	}
	if in.Title != nil {
		s.Rename(i, *in.Title, who)
	}
	if in.Body != nil {
		s.Rewrite(i, *in.Body, who)
	}
	if in.State != nil {
		i.Open = *in.State == "open"
	}
	i.Updated = s.Tick()
	hub.JSON(w, http.StatusOK, s.issue(i))
}

func (s server) comments(w http.ResponseWriter, r *http.Request, _ string, i *hub.Item) {
	out := []hub.Object{}
	for _, c := range hub.Page(w, r, i.Comments, "per_page", 100) {
		out = append(out, hub.Object{"id": c.ID, "user": user(c.Author), "body": c.Body, "created_at": c.At, "updated_at": c.At})
	}
	hub.JSON(w, http.StatusOK, out)
}

func (s server) comment(w http.ResponseWriter, r *http.Request, who string, i *hub.Item) {
	var in struct{ Body string }
	if !decode(w, r, &in) {
		return
	}
	c := s.Say(i, in.Body, who)
	hub.JSON(w, http.StatusCreated, hub.Object{"id": c.ID, "user": user(who), "body": c.Body, "created_at": c.At})
}

func (s server) editComment(w http.ResponseWriter, r *http.Request, _ string) {
	var in struct{ Body string }
	if !decode(w, r, &in) {
		return
	}
	c, ok := s.Correct(r.PathValue("id"), in.Body)
	if !ok {
		fail(w, http.StatusNotFound, "Not Found")
		return
	}
	hub.JSON(w, http.StatusOK, hub.Object{"id": c.ID, "user": user(c.Author), "body": c.Body, "created_at": c.At})
}

func (s server) events(w http.ResponseWriter, r *http.Request, _ string, i *hub.Item) {
	out := []hub.Object{}
	for _, e := range hub.Page(w, r, i.Events, "per_page", 100) {
		if e.Label == "" {
			out = append(out, hub.Object{"id": e.ID, "event": "renamed", "actor": user(e.By), "rename": hub.Object{"from": "x", "to": "y"}, "created_at": e.At})
			continue
		}
		kind := "unlabeled"
		if e.Added {
			kind = "labeled"
		}
		out = append(out, hub.Object{"id": e.ID, "event": kind, "actor": user(e.By), "label": hub.Object{"name": e.Label, "color": "ededed"}, "created_at": e.At})
	}
	hub.JSON(w, http.StatusOK, out)
}

func (s server) mark(w http.ResponseWriter, r *http.Request, who string, i *hub.Item) {
	var in struct{ Labels []string }
	var raw json.RawMessage
	if !decode(w, r, &raw) {
		return
	}
	if json.Unmarshal(raw, &in.Labels) != nil { // a list, or an object with one
		_ = json.Unmarshal(raw, &in)
	}
	for _, l := range in.Labels {
		s.Mark(i, l, who, true)
	}
	hub.JSON(w, http.StatusOK, s.issue(i)["labels"])
}

func (s server) unmark(w http.ResponseWriter, r *http.Request, who string, i *hub.Item) {
	if !s.Mark(i, r.PathValue("label"), who, false) {
		fail(w, http.StatusNotFound, "Label does not exist")
		return
	}
	hub.JSON(w, http.StatusOK, s.issue(i)["labels"])
}
