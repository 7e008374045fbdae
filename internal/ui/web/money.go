package web

import (
	"bytes"
	"html/template"
	"net/http"
	"slices"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/ui/feed"
	"warp/internal/ui/money"
	"warp/internal/ui/plot"
)

// moneyData is the page about costs.
type moneyData struct {
	money.Sheet
	Periods            []period
	Days               []money.Day // days with runs, newest first
	Fates              []fate
	Per                string // cost per merged criterion
	ByDay, Way, Shares template.HTML
	Kinds              []plot.Part
}

// period is a selectable time span.
type period struct {
	Name, Title string
	days        int // 0: no limit
	Here        bool
}

// fate is the cost of all work with the same outcome.
type fate struct {
	Name money.Fate
	Cost evidence.Cost
}

// countMoney sums up the costs of the selected period.
func (s *Server) countMoney(f *feed.Feed, r *http.Request) (money.Sheet, []period) {
	list, chosen := []period{{Name: "30", Title: "30 days", days: 30}, {Name: "7", Title: "7 days", days: 7}, {Name: "365", Title: "a year", days: 365}, {Name: "all", Title: "everything"}}, 0
	for i, p := range list {
		if p.Name == r.FormValue("days") {
			chosen = i
		}
	}
	list[chosen].Here = true
	now := s.Env.Now()
	since := time.Date(now.Year(), now.Month(), now.Day()+1-list[chosen].days, 0, 0, 0, 0, now.Location())
	if list[chosen].days == 0 {
		since = time.Time{}.In(now.Location())
	}
	return money.Count(f.Book, since, f.WorkName), list
}

func moneyPage(s *Server, f *feed.Feed, r *http.Request) (any, error) {
	sheet, list := s.countMoney(f, r)
	d := moneyData{Sheet: sheet, Periods: list, Per: "unknown yet", Kinds: sheet.Tokens.ByKind()}
	for _, day := range slices.Backward(sheet.Days) {
		if day.Cost.Runs > 0 {
			d.Days = append(d.Days, day)
		}
	}
	for _, name := range []money.Fate{money.Merged, money.NotMerged, money.UnderWay, money.Other} {
		if c := sheet.Fates[name]; c.Runs > 0 {
			d.Fates = append(d.Fates, fate{name, c})
		}
	}
	if each, known := sheet.PerCriterion(); known {
		d.Per = each.Sum()
	}
	if sheet.Total.MicroUSD > 0 { // a chart of unknown costs would show zeros
		d.ByDay = plotHTML(plot.Stacked(sheet.ByDay()))
	}
	if sheet.Total.Runs > 0 {
		d.Shares = plotHTML(plot.Share("Tokens by kind", d.Kinds))
	}
	if len(sheet.Trend) > 1 {
		d.Way = plotHTML(plot.Trend("Money per merged criterion", sheet.Trend))
	}
	return d, nil
}

// serveMoney writes the costs of the selected period as CSV.
func (s *Server) serveMoney(w http.ResponseWriter, r *http.Request) {
	f, err := s.Feed(r.Context())
	var b bytes.Buffer
	if err == nil {
		sheet, _ := s.countMoney(f, r)
		err = sheet.WriteCSV(&b)
	}
	if err != nil {
		s.fail(w, r, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="money.csv"`)
	_, _ = w.Write(b.Bytes()) // the reader may be gone
}
