package githubmock

import (
	"net/http"
	"strconv"

	"warp/internal/testkit/forgetest/hub"
)

// checkRuns are the checks of a commit that have a log.
func (s server) checkRuns(w http.ResponseWriter, r *http.Request, _ string) {
	out := []hub.Object{}
	for _, c := range s.Checks[r.PathValue("sha")] {
		if c.Log == "" {
			continue
		}
		run := hub.Object{"id": c.ID, "name": c.Name, "status": "completed", "conclusion": c.Conclusion, "html_url": "https://github.com/octo/widgets/runs/x", "output": hub.Object{"title": c.About}}
		if c.Conclusion == "" {
			run["status"], run["conclusion"] = "in_progress", nil
		}
		out = append(out, run)
	}
	hub.JSON(w, http.StatusOK, hub.Object{"total_count": len(out), "check_runs": out})
}

// statuses are the others.
func (s server) statuses(w http.ResponseWriter, r *http.Request, _ string) {
	out := []hub.Object{}
	for _, c := range s.Checks[r.PathValue("sha")] {
		if c.Log == "" {
			out = append(out, hub.Object{"id": c.ID, "context": c.Name, "state": c.Conclusion, "description": c.About, "target_url": nil})
		}
	}
	hub.JSON(w, http.StatusOK, hub.Object{"state": "pending", "statuses": out, "total_count": len(out)})
}

// jobLog sends those who may read a log to where it is.
func (s server) jobLog(w http.ResponseWriter, r *http.Request, _ string) {
	http.Redirect(w, r, "/logs/"+r.PathValue("id"), http.StatusFound)
}

// storedLog is on another host, which must not see the token.
func (s server) storedLog(w http.ResponseWriter, r *http.Request) {
	s.Lock()
	defer s.Unlock()
	if r.Header.Get("Authorization") != "" {
		fail(w, http.StatusBadRequest, "a token was sent to the storage")
		return
	}
	for _, list := range s.Checks {
		for _, c := range list {
			if strconv.FormatInt(c.ID, 10) == r.PathValue("id") {
				_, _ = w.Write([]byte(c.Log))
				return
			}
		}
	}
	fail(w, http.StatusNotFound, "Not Found")
}

func (s server) reviews(w http.ResponseWriter, r *http.Request, _ string, i *hub.Item) {
	out := []hub.Object{}
	for _, v := range hub.Page(w, r, i.Pull.Reviews, "per_page", 100) {
		out = append(out, hub.Object{"id": v.ID, "user": user(v.Author), "state": v.State, "body": v.Body, "submitted_at": v.At, "author_association": "NONE"})
	}
	hub.JSON(w, http.StatusOK, out)
}

func (s server) reviewComments(w http.ResponseWriter, r *http.Request, _ string, i *hub.Item) {
	out := []hub.Object{}
	for _, v := range i.Pull.Reviews {
		if strconv.FormatInt(v.ID, 10) == r.PathValue("id") && v.Path != "" {
			out = append(out, hub.Object{"path": v.Path, "line": 1, "original_line": 1, "body": v.Said})
		}
	}
	hub.JSON(w, http.StatusOK, out)
}
