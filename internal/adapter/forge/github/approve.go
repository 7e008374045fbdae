package github

import (
	"context"
	"net/http"
	"strings"
	"time"

	"warp/internal/engine/forge"
	"warp/internal/engine/forge/rest"
)

// event is one entry of an issue's history.
type event struct {
	Event   string
	Actor   *rest.User
	Label   rest.Label
	Created time.Time `json:"created_at"`
}

// judge adds the approval to an issue, according to its history. It must run after the issue was
// read, so that no later edit is missed.
func (t *Tracker) judge(ctx context.Context, issue forge.Issue) (forge.Issue, error) {
	if !issue.Has(forge.Approved) {
		return issue, nil
	}
	h := forge.History{}
	err := rest.Each(ctx, t.Repo, t.Doing("reading who approved issue %d", issue.Number), t.Path("issues/%d/events", issue.Number), func(e event) {
		switch {
		case e.Event == "labeled" && strings.EqualFold(e.Label.Name, forge.Approved):
			h.By, h.At = e.Actor.Name(), e.Created
		case e.Event == "renamed":
			h.Edits = append(h.Edits, forge.Edit{By: e.Actor.Name(), At: e.Created})
		}
	})
	if err != nil {
		return issue, err
	}
	own, err := t.MayWrite(ctx, issue.Author)
	if err != nil {
		return issue, err
	}
	if !own { // else everyone who can edit the text may approve
		edits, err := t.edits(ctx, issue.Number, issue.Author)
		switch {
		case forge.Is(err, forge.NotAllowed), forge.Is(err, forge.NotFound), forge.Is(err, forge.Invalid):
			h.Unknown = "GitHub does not show this token who has edited it since; use one that may read issues by GraphQL, or file it as your own issue"
		case err != nil:
			return issue, err
		}
		h.Edits = append(h.Edits, edits...)
	}
	return h.Judge(ctx, issue, t.MayWrite)
}

// history queries who edited the text of an issue, which REST does not report.
const history = `query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    issue(number: $number) {
      userContentEdits(first: 100, after: $after) {
        nodes { editedAt editor { __typename login } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}`

type historyAnswer struct {
	Data struct {
		Repository struct {
			Issue *struct {
				UserContentEdits struct {
					Nodes []struct {
						EditedAt time.Time `json:"editedAt"`
						Editor   *struct {
							Type  string `json:"__typename"`
							Login string `json:"login"`
						} `json:"editor"`
					} `json:"nodes"`
					PageInfo struct {
						HasNextPage bool   `json:"hasNextPage"`
						EndCursor   string `json:"endCursor"`
					} `json:"pageInfo"`
				} `json:"userContentEdits"`
			} `json:"issue"`
		} `json:"repository"`
	} `json:"data"`
	Errors []struct{ Message string } `json:"errors"`
}

// edits returns who edited the text of an issue, including its creation.
func (t *Tracker) edits(ctx context.Context, number int, author string) ([]forge.Edit, error) {
	doing := t.Doing("reading who edited issue %d", number)
	var list []forge.Edit
	vars := map[string]any{"owner": t.Owner, "name": t.RepoName, "number": number}
	for {
		var a historyAnswer
		if _, err := t.Send(ctx, doing, http.MethodPost, t.graphQL(), map[string]any{"query": history, "variables": vars}, &a); err != nil {
			return nil, err
		}
		issue := a.Data.Repository.Issue
		if len(a.Errors) > 0 || issue == nil {
			return nil, &forge.Error{Doing: doing, Reason: forge.Invalid, Why: "GitHub returned no answer", Advice: "check that the token may read issues"}
		}
		for _, n := range issue.UserContentEdits.Nodes {
			e := forge.Edit{At: n.EditedAt}
			if n.Editor != nil {
				e.By = n.Editor.Login
			}
			if n.Editor != nil && n.Editor.Type == "Bot" {
				if e.By += "[bot]"; e.By != author {
					continue // an app that edits another's issue was granted that right; the API does not report its rights
				}
			}
			list = append(list, e)
		}
		next := issue.UserContentEdits.PageInfo
		if !next.HasNextPage || next.EndCursor == vars["after"] {
			return list, nil
		}
		vars["after"] = next.EndCursor
	}
}

// graphQL returns the address of the GraphQL API: next to v3 on an Enterprise server, below the root
// elsewhere.
func (t *Tracker) graphQL() string {
	if root, ok := strings.CutSuffix(t.Base, "/v3/"); ok {
		return root + "/graphql"
	}
	return t.Base + "graphql"
}
