package tokens

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"warp/internal/core/lossless"
)

// ParsePrices reads a table as a person writes it, in dollars per million tokens:
//
//	{"models": {"gpt-6-sol": {"input": 2, "output": 10, "cache_read": 0.2, "cache_write": 2.5}}}
//
// Without a separate rate, cached tokens cost as much as input. An empty text is an empty table.
func ParsePrices(text []byte) (PriceTable, error) {
	if len(text) == 0 {
		return nil, nil
	}
	doc, err := lossless.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("the prices are not valid JSON: %w", err)
	}
	models := doc.Get("models")
	if models == nil || models.Kind != lossless.Object {
		return nil, errors.New(`the prices must be an object with a member "models", an object of models`)
	}
	var t PriceTable
	for _, m := range models.Members {
		rate, err := rateOf(m.Value)
		if err != nil {
			return nil, fmt.Errorf("the price of %q: %w", m.Key, err)
		}
		t = append(t, ModelRate{plain(m.Key), rate})
	}
	return t, nil
}

func rateOf(v *lossless.Value) (Rate, error) {
	if v.Kind != lossless.Object {
		return Rate{}, fmt.Errorf("it must be an object, not %s", v.Kind)
	}
	var r Rate
	fields := map[string]*int64{"input": &r.Input, "output": &r.Output, "cache_read": &r.CacheRead, "cache_write": &r.CacheWrite}
	for _, m := range v.Members {
		field := fields[m.Key]
		if field == nil {
			return Rate{}, fmt.Errorf("%q is unknown; there are input, output, cache_read, cache_write", m.Key)
		}
		usd, err := strconv.ParseFloat(m.Value.Raw, 64)
		if err != nil || m.Value.Kind != lossless.Number || !(usd >= 0 && usd <= dearest) {
			return Rate{}, fmt.Errorf("%s must be dollars per million tokens, from 0 to %d", m.Key, int(dearest))
		}
		*field = int64(math.Round(usd * 1e6))
	}
	for _, name := range []string{"input", "output"} {
		if v.Get(name) == nil {
			return Rate{}, fmt.Errorf("%s is missing", name)
		}
	}
	for _, name := range []string{"cache_read", "cache_write"} {
		if v.Get(name) == nil {
			*fields[name] = r.Input
		}
	}
	return r, nil
}

// dearest is a price, in dollars per million tokens, above every real one.
const dearest = 1e5
