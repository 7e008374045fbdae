package plot

import (
	"math"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/plot"
)

// money is a scale of dollars from 0.
type money struct{ most float64 }

// newMoney returns a scale that fits the largest amount.
func newMoney(largest int64) money {
	if largest <= 0 {
		return money{1}
	}
	return money{float64(largest) / 1e6 * 1.05}
}

// step returns the distance of ticks: 1, 2 or 5 times a power of ten, for at most five ticks.
func (m money) step() float64 {
	power := math.Pow(10, math.Floor(math.Log10(m.most))-1)
	for _, times := range []float64{1, 2, 5, 10} {
		if m.most/(power*times) <= 5 {
			return power * times
		}
	}
	return power * 20
}

// Ticks implements plot.Ticker.
func (m money) Ticks(_, _ float64) (list []plot.Tick) {
	step := m.step()
	digits := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	if digits == 1 {
		digits = 2
	}
	for v := 0.0; v <= m.most+step/100; v += step {
		list = append(list, plot.Tick{Value: v, Label: "$" + strconv.FormatFloat(v, 'f', digits, 64)})
	}
	return list
}

// clock is a scale of time.
type clock struct{ from, to time.Time }

// spans are readable distances between ticks, and the format of their labels.
var spans = []struct {
	every time.Duration
	as    string
}{
	{time.Minute, "15:04"}, {5 * time.Minute, "15:04"}, {15 * time.Minute, "15:04"}, {30 * time.Minute, "15:04"},
	{time.Hour, "15:04"}, {2 * time.Hour, "15:04"}, {3 * time.Hour, "15:04"}, {6 * time.Hour, "15:04"}, {12 * time.Hour, "Jan 2 15:04"},
	{24 * time.Hour, "Jan 2"}, {7 * 24 * time.Hour, "Jan 2"}, {28 * 24 * time.Hour, "Jan 2"}, {365 * 24 * time.Hour, "2006"},
}

const mostMarks = 6

// Ticks marks whole hours and days in local time.
func (c clock) Ticks(_, _ float64) (list []plot.Tick) {
	span := spans[len(spans)-1]
	for _, s := range spans {
		if c.to.Sub(c.from) <= s.every*mostMarks {
			span = s
			break
		}
	}
	day := time.Date(c.from.Year(), c.from.Month(), c.from.Day(), 0, 0, 0, 0, c.from.Location())
	for t := day; !t.After(c.to) && len(list) < 2*mostMarks; t = t.Add(span.every) {
		if !t.Before(c.from.Add(c.to.Sub(c.from) / 25)) { // the corner belongs to the other axis
			list = append(list, plot.Tick{Value: seconds(t), Label: strings.ReplaceAll(t.Format(span.as), " 0", " ")})
		}
	}
	return list
}

// seconds returns a time as an axis value.
func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// labelledTicks are ticks with labels, for rows or days.
type labelledTicks []plot.Tick

// Ticks implements plot.Ticker.
func (n labelledTicks) Ticks(_, _ float64) []plot.Tick { return n }
