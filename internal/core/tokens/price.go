package tokens

// Prices are for agents that report tokens but no dollars. A model outside the table has no price:
// it is neither guessed nor free. They are list prices for short prompts and ordinary speed;
// agents' streams do not identify more expensive tiers, so sums are estimates. If an agent reports
// dollars, those count.

import (
	"math"
	"math/bits"
	"strings"
)

// Rate is the price of a million tokens of a model, in micro-dollars.
type Rate struct {
	Input, Output, CacheRead, CacheWrite int64
}

// ModelRate is the rate of a model and its dated versions.
type ModelRate struct {
	Model string
	Rate
}

type PriceTable []ModelRate

// With returns the table changed and extended by another.
func (t PriceTable) With(over PriceTable) PriceTable {
	return append(append(PriceTable{}, over...), t...)
}

// Lookup returns the rate of a model by the longest name that it begins with, and false if there is
// none. The rest must be a version of the same model (a date, -latest, -preview, [1m]): gpt-5.9 and
// gpt-5-pro are not gpt-5. Of two rows with the same name the first counts.
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

// plain returns a model's name without a provider's prefix, such as "openai/" or "us.anthropic.".
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
	// One or two digits make it another model: claude-opus-4-1.
	return digits >= 3 || strings.HasPrefix(rest, "latest") || strings.HasPrefix(rest, "preview") || strings.HasPrefix(rest, "v1:")
}

// Cost returns the price of tokens at a rate, in micro-dollars, rounded up. On overflow it returns
// the largest cost, which trips every budget.
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

// mostCost is the largest cost: enough for every budget, and several can be added.
const mostCost = math.MaxInt64 / 1024

// times returns the price of tokens at a rate per million.
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
