package web

import (
	"html/template"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/livestate"
	"warp/internal/core/text"
	"warp/internal/ui/feed"
	"warp/internal/ui/plot"
)

// issueData is the page of one issue.
type issueData struct {
	Issue   string
	Item    *feed.Item // the newest drive, or the one in the address; nil if no drive is known
	Card    card
	Account evidence.Account
	Gates   []evidence.Gate   // gates of no criterion
	Tests   []evidence.Tested // tests of no criterion
	Runs    []run
	Retries int
	Gantt   template.HTML
	Drives  []card // all drives of the issue
	Drive   int64  // epoch of the only drive shown; 0: all drives
	Asked   []feed.Asked
	Recent  []livestate.Line // newest first
}

func (d issueData) pageTitle() string {
	return text.ClipRunes(text.JoinNonEmpty(" ", feed.IssueLabel(d.Issue), d.Account.Title), 120)
}

type run struct {
	evidence.Run
	At   time.Time // when it ended
	ID   string    // of its log; "" if it has none
	Cost string
	Good bool
}

func issuePage(s *Server, f *feed.Feed, r *http.Request) (any, error) {
	d := issueData{Issue: r.PathValue("issue")}
	d.Drive, _ = strconv.ParseInt(r.FormValue("drive"), 10, 64) // 0, all drives, if absent
	for _, i := range f.Items {
		if i.Issue != d.Issue {
			continue
		}
		d.Drives = append(d.Drives, newCard(s, i))
		if d.Item == nil && (d.Drive == 0 || i.Epoch() == d.Drive) {
			d.Item, d.Card = &i, d.Drives[len(d.Drives)-1]
		}
	}
	book := f.Book.Of(d.Issue, d.Drive)
	d.Account = book.Account(d.Issue)
	waits := slices.ContainsFunc(s.readyIssues(), func(i feed.ApprovedIssue) bool { return i.Number == d.Issue })
	if d.Item == nil && len(d.Account.Criteria) == 0 && d.Account.Outcome == nil && len(f.Book.Of(d.Issue, 0).PassedOver) == 0 && !waits {
		return nil, &notFound{"nothing is known about issue " + d.Issue}
	}
	if d.Account.Title == "" && d.Item != nil {
		d.Account.Title = d.Item.Title
	}
	for _, q := range f.Inbox {
		if q.Issue == d.Issue {
			d.Asked = append(d.Asked, q)
		}
	}
	d.Gates = slices.DeleteFunc(slices.Clone(d.Account.Gates), func(g evidence.Gate) bool {
		return slices.ContainsFunc(d.Account.Criteria, func(p evidence.Proof) bool { return slices.Contains(p.Gates, g) })
	})
	d.Tests = slices.DeleteFunc(slices.Clone(d.Account.Tests), evidence.Tested.OfChunk)
	d.addRuns(s, book)
	return d, nil
}

func testClass(t evidence.Tested) string {
	switch {
	case t.NotRun || t.Red:
		return "warn"
	case !t.Passed || len(t.Broke) > 0:
		return "fail"
	}
	return "pass"
}

// logID returns a log's name in addresses: the file name of test logs, the folder of run logs.
func logID(path string) string {
	if path == "" {
		return ""
	}
	if name := filepath.Base(path); name != "output.log" {
		return name
	}
	return filepath.Base(filepath.Dir(path))
}

// addRuns lists the runs and draws them as a Gantt chart.
func (d *issueData) addRuns(s *Server, book *evidence.Book) {
	var bars []plot.Bar
	for _, e := range book.Runs {
		one := newRun(e)
		d.Runs = append(d.Runs, one)
		if one.Role == "fix" || one.End != "done" {
			d.Retries++
		}
		bars = append(bars, bar(one.Role, one.At, one.Seconds, one.Agent+", "+one.End))
	}
	for _, e := range book.Tests {
		bars = append(bars, bar("test", feed.ParseTime(e.At), e.Row.Seconds, e.Row.Stage+": "+e.Row.Said()))
	}
	bars = append(bars, d.barsAtWork(s.Env.Now())...)
	for _, q := range d.Asked {
		end := q.AnsweredAt
		if end.IsZero() {
			end = s.Env.Now().Truncate(time.Minute)
		}
		if len(d.Runs) > 0 && end.After(q.Asked) {
			bars = append(bars, plot.Bar{Row: "waiting", Kind: "waiting", From: q.Asked, To: end, Says: text.ClipRunes(text.OneLine(text.Prefix(q.Text, 400)), 80)})
		}
	}
	if len(bars) > 0 {
		first := slices.MinFunc(bars, func(a, b plot.Bar) int { return a.From.Compare(b.From) })
		last := slices.MaxFunc(bars, func(a, b plot.Bar) int { return a.To.Compare(b.To) })
		d.Gantt = plotHTML(plot.Gantt(bars, first.From, last.To))
	}
	d.Runs = newest(d.Runs, maxRuns)
	if d.Item != nil {
		d.Recent = recentOf(*d.Item)
	}
}

// maxRuns is the most runs on a page.
const maxRuns = 200

func recentOf(i feed.Item) []livestate.Line {
	if i.Live == nil {
		return nil
	}
	return newest(i.Live.Recent, len(i.Live.Recent))
}

// barsAtWork returns bars for unfinished runs. They end at now rounded to ten seconds, or the
// page would change every second.
func (d *issueData) barsAtWork(now time.Time) (list []plot.Bar) {
	if d.Item == nil || d.Item.Live == nil {
		return nil
	}
	for _, a := range d.Item.Live.Agents {
		if end := now.Truncate(10 * time.Second); end.After(a.Since) {
			list = append(list, plot.Bar{Row: a.Role, Kind: a.Role, From: a.Since, To: end, Says: text.ClipRunes(a.Agent+", at work", 80)})
		}
	}
	return list
}

func bar(role string, end time.Time, seconds float64, says string) plot.Bar {
	return plot.Bar{Row: role, Kind: role, From: end.Add(-time.Duration(seconds * float64(time.Second))), To: end, Says: text.ClipRunes(says, 80)}
}

func newRun(e evidence.Entry[evidence.Run]) run {
	var c evidence.Cost
	c.Add(e.Row)
	e.Row.End = strings.ReplaceAll(e.Row.End, "_", " ")
	return run{e.Row, feed.ParseTime(e.At), logID(e.Row.Log), c.Sum(), e.Row.End == "done"}
}

// workData is the page of a session or workflow.
type workData struct {
	Item        feed.Item
	Card        card
	Runs        []run
	Recent      []livestate.Line // newest first
	Checkpoints []checkpoint
}

func (d workData) pageTitle() string {
	return text.ClipRunes(string(d.Item.Kind)+" "+d.Item.Name, 120)
}

// checkpoint is one entry of warp checkpoint list --json.
type checkpoint struct {
	N          int    `json:"checkpoint"`
	Timestamp  string `json:"timestamp"`
	Task       string `json:"task"`
	GitSHA     string `json:"git_sha"`
	Manual     bool   `json:"manual"`
	Note       string `json:"note"`
	Left       bool   `json:"left_behind"`
	Restorable bool   `json:"restorable"`
}

// Point describes when in the workflow the checkpoint was made.
func (c checkpoint) Point() string {
	if phase, ends := strings.CutPrefix(c.Task, "phase-"); ends && !c.Manual {
		return "at the end of phase " + phase
	}
	return map[bool]string{false: "before ", true: "by hand, at "}[c.Manual] + c.Task
}

func workPage(s *Server, f *feed.Feed, r *http.Request) (any, error) {
	i, err := findItem(f, r)
	if err != nil {
		return nil, err
	}
	d := workData{Item: i, Card: newCard(s, i), Recent: recentOf(i)}
	for _, e := range f.RunsOf(i) {
		d.Runs = append(d.Runs, newRun(e))
	}
	d.Runs = newest(d.Runs, maxRuns)
	if i.Kind == feed.Workflow && i.Root != "" && !i.Archived { // an archived workflow took its checkpoints along
		d.Checkpoints = s.checkpoints(r, i.Root)
	}
	return d, nil
}
