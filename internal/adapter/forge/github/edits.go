package github

import (
	"context"
	"net/http"
	"strings"
	"time"

	"warp/internal/engine/forge"
)

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
			return nil, &forge.Error{Doing: doing, Reason: forge.Invalid, Why: "GitHub does not answer the question", Advice: "see whether the token may read issues"}
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
