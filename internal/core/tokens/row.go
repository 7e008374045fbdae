package tokens

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"warp/internal/core/event"
)

// The kinds of rows. Sums use deltas; a total repeats them.
const (
	DeltaRow = "delta" // used since the last row about the same work
	TotalRow = "total" // used by a drive's session, with one model
)

// Row is a line of the token ledger.
type Row struct {
	TS      string `json:"ts"`
	Kind    string `json:"kind"`
	Event   string `json:"event"`
	Project string `json:"project"`
	Session string `json:"session"`
	Issue   string `json:"issue,omitempty"`
	Chunk   int    `json:"chunk,omitempty"`
	Phase   string `json:"phase,omitempty"`
	Model   string `json:"model"`
	Tokens
	CostUSD *float64 `json:"cost_usd"` // null: unknown
	Source  string   `json:"source,omitempty"`
	Key     string   `json:"key"` // unique
}

// ParseRow reads a line of the ledger; false if it is not ours.
func ParseRow(line []byte) (r Row, ok bool) {
	err := json.Unmarshal(line, &r)
	return r, err == nil && r.Key != "" && (r.Kind == DeltaRow || r.Kind == TotalRow)
}

// Line returns the row as a line, with its newline.
func (r Row) Line() ([]byte, error) {
	b, err := json.Marshal(r)
	return append(b, '\n'), err
}

// Entry returns the row's usage, for sums.
func (r Row) Entry() Entry {
	e := Entry{At: time.UnixMilli(stamp(r.TS)), Project: r.Project, Session: r.Session, Place: Place{Issue: r.Issue, Chunk: r.Chunk, Phase: r.Phase},
		Model: r.Model, Source: r.Source, Tokens: r.Tokens, Unpriced: r.CostUSD == nil}
	if r.CostUSD != nil {
		e.Paid, e.MicroUSD = true, int64(math.Round(*r.CostUSD*1e6))
	}
	return e
}

// group is the key for comparing rows and entries.
type group struct {
	project, session string
	Place
	model, source string
}

func (e Entry) group() group { return group{e.Project, e.Session, e.Place, e.Model, e.Source} }

// Deltas returns the rows that the ledger lacks: what was used minus what it has. With the same
// entries and the rows of an earlier call there are none.
func Deltas(used []Entry, ledger []Row, on string, now time.Time, prices PriceTable) []Row {
	var had []Entry
	for _, r := range ledger {
		if r.Kind == DeltaRow {
			had = append(had, r.Entry())
		}
	}
	known, _ := sumByGroup(had)
	sums, order := sumByGroup(used)
	var rows []Row
	for _, g := range order {
		all, before := sums[g], cmp.Or(known[g], &Line{})
		left := all.Tokens.Less(before.Tokens)
		if left.Sum() == 0 {
			continue
		}
		rows = append(rows, Row{TS: event.Stamp(now), Kind: DeltaRow, Event: on, Project: g.project, Session: g.session,
			Issue: g.Issue, Chunk: g.Chunk, Phase: g.Phase, Model: g.model, Source: g.source, Tokens: left,
			CostUSD: all.rest(g.model, left, before.MicroUSD, prices)})
		r := &rows[len(rows)-1]
		r.Key = key(*r, all.Tokens)
	}
	return rows
}

// sumByGroup adds up entries; order is that in which their groups first appear.
func sumByGroup(entries []Entry) (sums map[group]*Line, order []group) {
	sums = map[group]*Line{}
	for _, e := range entries {
		g := e.group()
		if sums[g] == nil {
			sums[g] = &Line{}
			order = append(order, g)
		}
		sums[g].add(e)
	}
	return sums, order
}

// rest returns the price of the remaining tokens of a line, beyond the known cost.
func (l *Line) rest(model string, left Tokens, known int64, prices PriceTable) *float64 {
	rest := Line{MicroUSD: max(0, l.MicroUSD-known), Unknown: l.Unknown}
	if len(l.unpaid) > 0 {
		rest = Line{unpaid: map[string]Tokens{model: left}}.priced(prices)
	}
	if rest.Unknown > 0 {
		return nil
	}
	return dollars(rest.MicroUSD)
}

// Totals returns what a drive's session, which began at the given time, has used by model.
func Totals(used []Entry, project, session, began, on string, now time.Time, prices PriceTable) (rows []Row) {
	for _, l := range Tabulate(used, ByModel, prices, time.UTC).Lines {
		r := Row{TS: event.Stamp(now), Kind: TotalRow, Event: on, Project: project, Session: session, Model: l.Name, Tokens: l.Tokens}
		if l.Known() {
			r.CostUSD = dollars(l.MicroUSD)
		}
		r.Key = key(Row{Kind: r.Kind, Project: project, Session: began, Model: r.Model}, r.Tokens)
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.Model, b.Model) })
	return rows
}

// key identifies a row by its subject and the usage so far.
func key(r Row, so Tokens) string {
	return fmt.Sprintf("%016x", hash(r.Kind, r.Project, r.Session, r.Issue, fmt.Sprint(r.Chunk), r.Phase, r.Model, r.Source, fmt.Sprint(so)))
}

func dollars(micro int64) *float64 {
	usd := float64(micro) / 1e6
	return &usd
}
