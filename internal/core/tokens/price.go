package tokens

// Prices are for agents that report tokens and no dollars. A model that is not in the table
// has no price: it is neither guessed nor free. They are what the makers print for short
// prompts and ordinary speed; agents' streams do not tell dearer tiers apart, so a sum is an
// estimate. Where an agent reports dollars, those count.

import (
	"math"
	"math/bits"
	"strings"
)

// Rate is what a million tokens of a model cost, in micro-dollars.
type Rate struct {
	Input, Output, CacheRead, CacheWrite int64
}

// ModelRate is the rate of a model, and of its dated versions.
type ModelRate struct {
	Model string
	Rate
}

// PriceTable has the rates that are known.
type PriceTable []ModelRate

// With is the table as another one changes and extends it.
func (t PriceTable) With(over PriceTable) PriceTable {
	return append(append(PriceTable{}, over...), t...)
}

// Lookup finds the rate of a model by the longest name that it begins with, and
// false when there is none. What follows that name must be a version of the same
// model (a date, -latest, -preview, [1m]): gpt-5.9 and gpt-5-pro are not gpt-5.
// Of two rows with one name the first counts.
func (t PriceTable) Lookup(model string) (Rate, bool) {
	model = plain(model)
	var best *ModelRate
	for i := range t {
		rest, ok := strings.CutPrefix(model, t[i].Model)
		if ok && t[i].Model != "" && version(rest) && (best == nil || len(t[i].Model) > len(best.Model)) {
			best = &t[i]
		}
	}
	if best == nil {
		return Rate{}, false
	}
	return best.Rate, true
}

// plain is a model's name without what providers put before it, such as
// "openai/" or "us.anthropic.".
func plain(model string) string {
	model = strings.ToLower(strings.TrimSpace(model))
	model = model[strings.LastIndexByte(model, '/')+1:]
	if _, after, ok := strings.Cut(model, "anthropic."); ok {
		return after
	}
	return model
}

// version reports whether what follows a model's name leaves it the same model.
func version(rest string) bool {
	if rest == "" || strings.IndexByte("@[:", rest[0]) >= 0 {
		return true
	}
	rest, ok := strings.CutPrefix(rest, "-")
	if !ok {
		return false
	}
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	// One or two digits are the number of another model: claude-opus-4-1.
	return digits >= 3 || strings.HasPrefix(rest, "latest") || strings.HasPrefix(rest, "preview") || strings.HasPrefix(rest, "v1:")
}

// Cost is what tokens cost at a rate, in micro-dollars, rounded up. What is too
// much for a number is the largest, so that it trips every budget.
func (r Rate) Cost(input, output, cacheRead, cacheWrite int64) int64 {
	sum := int64(0)
	for _, part := range [...][2]int64{{input, r.Input}, {output, r.Output}, {cacheRead, r.CacheRead}, {cacheWrite, r.CacheWrite}} {
		c := times(part[0], part[1])
		if c > mostCost-sum {
			return mostCost
		}
		sum += c
	}
	return sum
}

// mostCost is the largest cost: large enough for every budget, and some of them can
// be added up.
const mostCost = math.MaxInt64 / 1024

// times is so many tokens at so much a million.
func times(tokens, rate int64) int64 {
	if tokens <= 0 || rate <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(tokens), uint64(rate))
	lo, carry := bits.Add64(lo, 1e6-1, 0)
	if hi += carry; hi >= 1e6 {
		return mostCost
	}
	cost, _ := bits.Div64(hi, lo, 1e6)
	return int64(min(cost, mostCost))
}
