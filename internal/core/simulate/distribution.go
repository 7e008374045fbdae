package simulate

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Random is a source of randomness, such as *math/rand/v2.Rand.
type Random interface {
	Float64() float64
	NormFloat64() float64
	ExpFloat64() float64
}

// Distribution is how long something takes.
type Distribution struct {
	words string
	draw  func(Random) float64 // seconds
	mean  float64
}

// String returns the distribution as written.
func (d Distribution) String() string { return d.words }

func (d Distribution) Mean() time.Duration { return seconds(d.mean) }

func (d Distribution) next(r Random) time.Duration { return seconds(max(0, d.draw(r))) }

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// kinds are the distributions by name, with an example and a constructor.
var kinds = map[string]struct {
	takes string
	make  func(p []float64) (func(Random) float64, float64)
}{
	"fixed": {"fixed(12m)", func(p []float64) (func(Random) float64, float64) {
		return func(Random) float64 { return p[0] }, p[0]
	}},
	"uniform": {"uniform(5m,20m)", func(p []float64) (func(Random) float64, float64) {
		return func(r Random) float64 { return p[0] + (p[1]-p[0])*r.Float64() }, (p[0] + p[1]) / 2
	}},
	"exponential": {"exponential(12m)", func(p []float64) (func(Random) float64, float64) {
		return func(r Random) float64 { return p[0] * r.ExpFloat64() }, p[0]
	}},
	"normal": {"normal(12m,3m)", func(p []float64) (func(Random) float64, float64) {
		return func(r Random) float64 { return p[0] + p[1]*r.NormFloat64() }, p[0]
	}},
	// The median and the spread of the logarithm: half take longer than the first parameter.
	"lognormal": {"lognormal(12m,0.6)", func(p []float64) (func(Random) float64, float64) {
		return func(r Random) float64 { return p[0] * math.Exp(p[1]*r.NormFloat64()) }, p[0] * math.Exp(p[1]*p[1]/2)
	}},
}

// ParseDistribution reads a distribution such as lognormal(12m,0.6) or fixed(90s); a plain duration
// is fixed.
func ParseDistribution(s string) (Distribution, error) {
	name, rest, found := strings.Cut(strings.TrimSpace(s), "(")
	if !found {
		name, rest = "fixed", s+")"
	}
	kind, known := kinds[name]
	args, closed := strings.CutSuffix(strings.TrimSpace(rest), ")")
	parts := strings.Split(args, ",")
	if !known || !closed || len(parts) != strings.Count(kind.takes, ",")+1 {
		return Distribution{}, unreadable(s)
	}
	var values []float64
	for i, part := range parts {
		part = strings.TrimSpace(part)
		if d, err := time.ParseDuration(part); err == nil && d >= 0 {
			values = append(values, d.Seconds())
			continue
		}
		v, err := strconv.ParseFloat(part, 64)
		if err != nil || v < 0 || math.IsInf(v, 0) || i == 0 || name != "lognormal" {
			return Distribution{}, unreadable(s)
		}
		values = append(values, v)
	}
	draw, mean := kind.make(values)
	return Distribution{strings.TrimSpace(s), draw, mean}, nil
}

func unreadable(s string) error {
	return fmt.Errorf("%q is not a distribution: use fixed(12m), uniform(5m,20m), exponential(12m), normal(12m,3m) or lognormal(12m,0.6) (median and spread)", s)
}
