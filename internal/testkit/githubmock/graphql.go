package githubmock

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"warp/internal/testkit/forgetest/hub"
)

// graphQL answers the one query that REST cannot: who edited an issue's text.
// The newest edit comes first; the creation is the first one where any are.
func (s server) graphQL(w http.ResponseWriter, r *http.Request, _ string) {
	var in struct {
		Query     string
		Variables struct {
			Owner, Name, After string
			Number             int
		}
	}
	if !decode(w, r, &in) {
		return
	}
	i := s.Item(in.Variables.Number)
	if !strings.Contains(in.Query, "userContentEdits(first: 100,") || in.Variables.Owner != s.Owner || in.Variables.Name != s.Name || i == nil || i.Pull != nil {
		hub.JSON(w, http.StatusOK, hub.Object{
			"data":   hub.Object{"repository": hub.Object{"issue": nil}},
			"errors": []hub.Object{{"type": "NOT_FOUND", "message": "Could not resolve to an Issue."}},
		})
		return
	}
	var edits []hub.Edit
	if len(i.Edits) > 0 {
		edits = append([]hub.Edit{{By: i.Author, At: i.Created}}, i.Edits...)
	}
	slices.Reverse(edits)
	from, _ := strconv.Atoi(in.Variables.After)
	to := min(from+100, len(edits))
	nodes := []hub.Object{}
	for _, e := range edits[from:to] {
		nodes = append(nodes, hub.Object{"editedAt": e.At, "editor": s.editor(e.By)})
	}
	page := hub.Object{"hasNextPage": to < len(edits), "endCursor": strconv.Itoa(to)}
	hub.JSON(w, http.StatusOK, hub.Object{"data": hub.Object{"repository": hub.Object{"issue": hub.Object{"userContentEdits": hub.Object{"nodes": nodes, "pageInfo": page}}}}})
}

// editor is nobody when the account is gone. Apps lose the end of their name.
func (s server) editor(who string) any {
	if app, ok := strings.CutSuffix(who, "[bot]"); ok {
		return hub.Object{"__typename": "Bot", "login": app}
	}
	if s.Rights[who] == "" {
		return nil
	}
	return hub.Object{"__typename": "User", "login": who}
}
