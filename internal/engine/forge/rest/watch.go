package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/engine/forge"
)

const (
	mostChecks = 1000
	longestLog = 32 << 20
	logEnd     = 64 << 10
)

// verdicts maps servers' words; anything else is red.
var verdicts = map[string]forge.Verdict{
	"success": forge.Green, "neutral": forge.Green, "skipped": forge.Green, "warning": forge.Green, "stale": forge.Green, "cancelled": forge.Green,
	"pending": forge.Pending, "": forge.Pending, "action_required": forge.Pending, // a person has to act
}

func verdictOf(word string) forge.Verdict {
	if v, known := verdicts[strings.ToLower(word)]; known {
		return v
	}
	return forge.Red
}

// Checks returns the commit statuses, and the check runs if the server has them.
func (r *Repo) Checks(ctx context.Context, commit string) ([]forge.Check, error) {
	doing := r.Doing("reading the checks of %s", commit)
	path := r.Path("commits/%s/", url.PathEscape(commit))
	var list []forge.Check
	var statuses struct {
		Statuses []struct {
			ID                                  int64
			Context, State, Status, Description string
			TargetURL                           string `json:"target_url"`
		}
	}
	if err := r.Read(ctx, doing, path+"status?"+r.query(nil).Encode(), &statuses); err != nil {
		return nil, err
	}
	for _, s := range statuses.Statuses {
		if slices.ContainsFunc(list, func(c forge.Check) bool { return c.Name == s.Context }) {
			continue // newest first
		}
		list = append(list, forge.Check{ID: fmt.Sprintf("status-%d", s.ID), Name: s.Context, Verdict: verdictOf(s.State + s.Status), Said: s.Description, URL: s.TargetURL})
	}
	if !r.dialect.CheckRuns {
		return list, nil
	}
	for page := 1; page*100 <= mostChecks; page++ {
		var runs struct {
			Total int `json:"total_count"`
			Runs  []struct {
				ID                       int64
				Name, Status, Conclusion string
				HTMLURL                  string `json:"html_url"`
				Output                   struct{ Title, Summary, Text string }
			} `json:"check_runs"`
		}
		q := r.query(url.Values{"filter": {"latest"}, "page": {strconv.Itoa(page)}})
		if err := r.Read(ctx, doing, path+"check-runs?"+q.Encode(), &runs); err != nil {
			return nil, err
		}
		for _, c := range runs.Runs {
			word := c.Conclusion
			if c.Status != "completed" {
				word = "pending"
			}
			said := strings.TrimSpace(c.Output.Title + "\n" + c.Output.Summary + "\n" + c.Output.Text)
			list = append(list, forge.Check{ID: fmt.Sprintf("%s%d", runID, c.ID), Name: c.Name, Verdict: verdictOf(word), Said: said, URL: c.HTMLURL})
		}
		if page*100 >= runs.Total || len(runs.Runs) == 0 {
			break
		}
	}
	return list, nil
}

// runID prefixes the id of a check run.
const runID = "run-"

// CheckLog returns the end of a job's log: a check run of Actions has its job's number. Others have
// none.
func (r *Repo) CheckLog(ctx context.Context, c forge.Check) (string, error) {
	id, is := strings.CutPrefix(c.ID, runID)
	if !is || !r.dialect.CheckRuns {
		return "", nil
	}
	text, err := r.download(ctx, r.Doing("reading the log of the check %q", c.Name), r.Path("actions/jobs/%s/logs", id))
	if forge.Is(err, forge.NotFound) || forge.Is(err, forge.NotAllowed) {
		return "", nil
	}
	return text, err
}

// download reads the end of a text, even if the server redirects to another host, which does not
// get the token.
func (a *API) download(ctx context.Context, doing, path string) (string, error) {
	f := failure{Doing: doing, Now: a.Now(), Secret: a.Token}
	req, err := a.request(ctx, http.MethodGet, path, nil)
	if err != nil {
		return "", err
	}
	client := *a.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for range 3 {
		f.Resp, f.Err = client.Do(req)
		if f.Err != nil {
			f.Resp = nil
			return "", a.advised(f.Error(ctx), nil)
		}
		defer f.Resp.Body.Close()
		if f.Resp.StatusCode/100 != 3 {
			break
		}
		next, err := f.Resp.Location()
		if err != nil || next.Scheme != "https" && next.Host != req.URL.Host {
			return "", errors.Join(err, fmt.Errorf("%s: the server redirects to an unencrypted address", doing))
		}
		if req, err = http.NewRequestWithContext(ctx, http.MethodGet, next.String(), nil); err != nil {
			return "", err
		}
	}
	if f.Resp.StatusCode/100 != 2 {
		f.Message = message(f.Resp.Body)
		return "", a.advised(f.Error(ctx), f.Resp.Header)
	}
	text, err := io.ReadAll(io.LimitReader(f.Resp.Body, longestLog))
	return string(text[max(0, len(text)-logEnd):]), err
}

// opinions maps servers' words.
var opinions = map[string]forge.Opinion{
	"APPROVED": forge.Approves, "CHANGES_REQUESTED": forge.Objects, "REQUEST_CHANGES": forge.Objects, "DISMISSED": forge.Withdrawn,
}

// Reviews returns the reviews of a pull request.
func (r *Repo) Reviews(ctx context.Context, number int) (list []forge.Review, err error) {
	doing := r.Doing("reading the reviews of pull request %d", number)
	type review struct {
		ID          int64
		User        User
		Body, State string
		Dismissed   bool
		SubmittedAt time.Time `json:"submitted_at"`
	}
	err = Each(ctx, r, doing, r.Path("pulls/%d/reviews", number), func(v review) {
		opinion := opinions[v.State]
		switch {
		case v.State == "PENDING": // still being written
			return
		case v.Dismissed:
			opinion = forge.Withdrawn
		case opinion == "":
			opinion = forge.Remarks
		}
		list = append(list, forge.Review{ID: strconv.FormatInt(v.ID, 10), Author: v.User.Login, Opinion: opinion, Body: v.Body, At: v.SubmittedAt})
	})
	for i, v := range list {
		if err != nil || v.Opinion != forge.Objects {
			continue
		}
		err = Each(ctx, r, doing, r.Path("pulls/%d/reviews/%s/comments", number, v.ID), func(c struct {
			Path, Body     string
			Line, Position int
			OriginalLine   int `json:"original_line"`
		}) {
			list[i].Lines = append(list[i].Lines, forge.LineComment{Path: c.Path, Line: max(c.Line, c.OriginalLine), Body: c.Body})
		})
	}
	return list, err
}
