package evidence

import "time"

// Cost adds up what runs have cost.
type Cost struct {
	Tokens   int64   `json:"tokens"`
	MicroUSD int64   `json:"micro_usd"`
	Unpriced int     `json:"unpriced_runs,omitempty"` // runs whose price is not known
	Runs     int     `json:"runs"`
	Seconds  float64 `json:"seconds"`
}

// Add adds one run.
func (c *Cost) Add(r Run) {
	c.Runs++
	c.Tokens += r.Input + r.Output + r.CacheRead + r.CacheWrite
	c.MicroUSD += r.MicroUSD
	c.Seconds += r.Seconds
	if r.Unpriced {
		c.Unpriced++
	}
}

// Cost is what the runs of the given chunk have cost; 0: all of them.
func (b *Book) Cost(chunk int) (c Cost) {
	for _, e := range b.Runs {
		if chunk == 0 || e.Row.Chunk == chunk {
			c.Add(e.Row)
		}
	}
	return c
}

// Spent is what all runs since a time have cost, of drives and of everything else.
func (b *Book) Spent(since time.Time) (c Cost) {
	for _, list := range [][]Entry[Run]{b.Runs, b.Others} {
		for _, e := range list {
			if at, err := time.Parse(time.RFC3339, e.At); err == nil && !at.Before(since) {
				c.Add(e.Row)
			}
		}
	}
	return c
}

// SpentBy is what work on no requirement has cost since a time: "session NAME",
// "workflow ID".
func (b *Book) SpentBy(work string, since time.Time) (c Cost) {
	for _, e := range b.Others {
		if at, err := time.Parse(time.RFC3339, e.At); e.Row.Work == work && (err != nil || !at.Before(since)) {
			c.Add(e.Row)
		}
	}
	return c
}
