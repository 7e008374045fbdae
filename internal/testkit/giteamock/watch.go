package giteamock

import (
	"net/http"
	"strconv"

	"warp/internal/testkit/forgetest/hub"
)

// statuses are all checks: Gitea has no check runs.
func (s server) statuses(w http.ResponseWriter, r *http.Request, _ string) {
	out := []hub.Object{}
	for _, c := range s.Checks[r.PathValue("sha")] {
		state := c.Conclusion
		if state == "" {
			state = "pending"
		}
		out = append(out, hub.Object{"id": c.ID, "context": c.Name, "status": state, "description": c.About, "target_url": "/octo/widgets/actions/runs/1/jobs/0"})
	}
	hub.JSON(w, http.StatusOK, hub.Object{"state": "failure", "statuses": out, "total_count": len(out)})
}

// words are Gitea's for what GitHub says.
var words = map[string]string{"CHANGES_REQUESTED": "REQUEST_CHANGES", "COMMENTED": "COMMENT", "DISMISSED": "REQUEST_CHANGES"}

func (s server) reviews(w http.ResponseWriter, r *http.Request, _ string, i *hub.Item) {
	out := []hub.Object{}
	for _, v := range hub.Page(w, r, i.Pull.Reviews, "limit", most) {
		state := v.State
		if words[state] != "" {
			state = words[state]
		}
		out = append(out, hub.Object{"id": v.ID, "user": user(v.Author), "state": state, "body": v.Body, "submitted_at": v.At, "dismissed": v.State == "DISMISSED"})
	}
	hub.JSON(w, http.StatusOK, out)
}

func (s server) reviewComments(w http.ResponseWriter, r *http.Request, _ string, i *hub.Item) {
	out := []hub.Object{}
	for _, v := range i.Pull.Reviews {
		if strconv.FormatInt(v.ID, 10) == r.PathValue("id") && v.Path != "" {
			out = append(out, hub.Object{"path": v.Path, "position": 1, "body": v.Said})
		}
	}
	hub.JSON(w, http.StatusOK, out)
}
