package giteamock

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"warp/internal/testkit/forgetest/hub"
)

func (s server) issue(i *hub.Item) hub.Object {
	out := hub.Object{
		"number": i.Number, "title": i.Title, "body": i.Body, "state": "closed", "user": user(i.Author), "html_url": "http://gitea.invalid/octo/widgets/issues/x",
		"created_at": i.Created, "updated_at": i.Updated, "comments": len(i.Comments), "repository": hub.Object{"full_name": "octo/widgets"},
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
	if !s.Old {
		out["content_version"] = len(i.Edits)
	}
	if i.Pull != nil {
		out["pull_request"] = hub.Object{"merged": i.Pull.Merged}
	}
	return out
}

func (s server) list(w http.ResponseWriter, r *http.Request, _ string) {
	q := r.URL.Query()
	var found []*hub.Item
	for _, i := range s.Items {
		ok := q.Get("state") == "all" || i.Open == (q.Get("state") != "closed")
		ok = ok && (q.Get("type") != "issues" || i.Pull == nil) && (q.Get("created_by") == "" || q.Get("created_by") == i.Author)
		for _, l := range strings.FieldsFunc(q.Get("labels"), func(r rune) bool { return r == ',' }) {
			known := slices.ContainsFunc(s.Labels, func(have hub.Label) bool { return have.Name == l })
			ok = ok && (!known || slices.Contains(i.Labels, l)) // a label that is nowhere asks for nothing
		}
		if ok {
			found = append(found, i)
		}
	}
	slices.Reverse(found) // the newest first; there is no way to ask for another order
	out := []hub.Object{}
	for _, i := range hub.Page(w, r, found, "limit", most) {
		out = append(out, s.issue(i))
	}
	hub.JSON(w, http.StatusOK, out)
}

func (s server) create(w http.ResponseWriter, r *http.Request, who string) {
	var in struct {
		Title, Body string
		Labels      []int64
		Assignees   []string
	}
	if !decode(w, r, &in) {
		return
	}
	if strings.TrimSpace(in.Title) == "" {
		fail(w, http.StatusUnprocessableEntity, "[Title]: Required")
		return
	}
	var names []string
	for _, id := range in.Labels {
		if l, ok := s.byID(id); ok {
			names = append(names, l.Name)
		}
	}
	hub.JSON(w, http.StatusCreated, s.issue(s.Add(hub.Item{Title: in.Title, Body: in.Body, Labels: names, Assignees: in.Assignees, Author: who})))
}

func (s server) get(w http.ResponseWriter, _ *http.Request, _ string, i *hub.Item) {
	hub.JSON(w, http.StatusOK, s.issue(i))
}

func (s server) edit(w http.ResponseWriter, r *http.Request, who string, i *hub.Item) {
	var in struct {
		Title       string
		Body, State *string
	}
	if !decode(w, r, &in) {
		return
	}
	if in.Title != "" {
		s.Rename(i, in.Title, who)
	}
	if in.Body != nil {
		s.Rewrite(i, *in.Body, who)
	}
	if in.State != nil {
		i.Open = *in.State == "open"
	}
	i.Updated = s.Tick()
	hub.JSON(w, http.StatusCreated, s.issue(i))
}

func (s server) comments(w http.ResponseWriter, _ *http.Request, _ string, i *hub.Item) {
	out := []hub.Object{}
	for _, c := range i.Comments {
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
		fail(w, http.StatusNotFound, "The target couldn't be found.")
		return
	}
	hub.JSON(w, http.StatusOK, hub.Object{"id": c.ID, "user": user(c.Author), "body": c.Body, "created_at": c.At})
}

// timeline lists comments, labels and titles together, without a Link header.
// Edits of a text are in no answer.
func (s server) timeline(w http.ResponseWriter, r *http.Request, _ string, i *hub.Item) {
	var rows []hub.Object
	for _, c := range i.Comments {
		rows = append(rows, hub.Object{"id": c.ID, "type": "comment", "user": user(c.Author), "body": c.Body, "created_at": c.At, "label": nil})
	}
	for _, e := range i.Events {
		if e.Label == "" {
			rows = append(rows, hub.Object{"id": e.ID, "type": "change_title", "user": user(e.By), "body": "", "created_at": e.At, "label": nil})
			continue
		}
		body := ""
		if e.Added {
			body = "1"
		}
		rows = append(rows, hub.Object{"id": e.ID, "type": "label", "user": user(e.By), "body": body, "created_at": e.At, "label": label(s.Label(e.Label))})
	}
	slices.SortFunc(rows, func(a, b hub.Object) int { return int(a["id"].(int64) - b["id"].(int64)) })
	rows = hub.Page(w, r, rows, "limit", most)
	w.Header().Del("Link")
	hub.JSON(w, http.StatusOK, rows) // null when there are none, as there
}

func (s server) mark(w http.ResponseWriter, r *http.Request, who string, i *hub.Item) {
	var in struct{ Labels []int64 }
	if !decode(w, r, &in) {
		return
	}
	for _, id := range in.Labels {
		if l, ok := s.byID(id); ok {
			s.Mark(i, l.Name, who, true)
		}
	}
	hub.JSON(w, http.StatusOK, s.issue(i)["labels"])
}

func (s server) unmark(w http.ResponseWriter, r *http.Request, who string, i *hub.Item) {
	id, _ := strconv.ParseInt(r.PathValue("label"), 10, 64)
	l, ok := s.byID(id)
	if !ok {
		fail(w, http.StatusUnprocessableEntity, "label does not exist")
		return
	}
	s.Mark(i, l.Name, who, false)
	w.WriteHeader(http.StatusNoContent)
}
