package evidence

// Cost adds up what runs have cost.
type Cost struct {
	Tokens   int64   `json:"tokens"`
	MicroUSD int64   `json:"micro_usd"`
	Unpriced int     `json:"unpriced_runs,omitempty"` // runs whose price is not known
	Runs     int     `json:"runs"`
	Seconds  float64 `json:"seconds"`
}

func (c *Cost) add(r Run) {
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
			c.add(e.Row)
		}
	}
	return c
}
