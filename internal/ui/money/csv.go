package money

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
)

// WriteCSV writes the report as one table: a line for each model of each day, each issue and
// other work, and the total.
func (s Sheet) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"by", "day", "name", "title", "result", "criteria", "runs", "tokens", "seconds", "cost_usd", "runs_of_unknown_cost"}) // out.Error reports it
	line := func(by, day, name, title, result, criteria string, c evidence.Cost) {
		_ = out.Write([]string{by, day, cell(name), cell(title), result, criteria, strconv.Itoa(c.Runs), strconv.FormatInt(c.Tokens, 10), strconv.FormatFloat(c.Seconds, 'f', -1, 64), strconv.FormatFloat(float64(c.MicroUSD)/1e6, 'f', -1, 64), strconv.Itoa(c.Unpriced)})
	}
	for _, d := range s.Days {
		for _, m := range d.Models {
			line("day", d.Date.Format("2006-01-02"), m.Name, "", "", "", m.Cost)
		}
	}
	for _, w := range s.Works {
		if w.Issue == "" {
			line("work", "", w.Name, "", string(w.Fate), "", w.Cost)
			continue
		}
		line("issue", "", w.Issue, w.Title, string(w.Fate), strconv.Itoa(w.Criteria), w.Cost)
	}
	line("total", "", "", "", "", strconv.Itoa(s.Criteria), s.Total)
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

const maxCell = 300

// cell makes foreign text safe for a spreadsheet, which takes some beginnings for formulas.
func cell(words string) string {
	words = text.VisibleLine(text.ClipRunes(text.Prefix(words, 4*maxCell+4), maxCell))
	if strings.HasPrefix(words, "\t") || words != "" && strings.ContainsRune("=+-@", rune(words[0])) {
		return "'" + words
	}
	return words
}
