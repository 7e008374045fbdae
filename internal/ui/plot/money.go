package plot

import (
	"fmt"
	"slices"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"warp/internal/core/evidence"
	words "warp/internal/core/text"
)

// Part is a share of a total: a model's cost, a kind's tokens.
type Part struct {
	Name   string
	Amount int64 // micro-dollars or tokens
}

// Day is the cost of a day, by model.
type Day struct {
	Date  time.Time
	Parts []Part
}

// series is the number of colours; all further parts share the last one.
const series = 6

// orderByTotal returns the names of all parts, largest total first, with those beyond the colours
// merged into one.
func orderByTotal(days []Day) (names []string) {
	sums := map[string]int64{}
	for _, d := range days {
		for _, p := range d.Parts {
			if _, known := sums[p.Name]; !known {
				names = append(names, p.Name)
			}
			sums[p.Name] += p.Amount
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return int(min(max(sums[b]-sums[a], -1), 1)) })
	return names
}

func seriesClass(names []string, name string) string {
	return fmt.Sprintf("p-s%d", min(max(slices.Index(names, name), 0), series-1))
}

func seriesKeys(names []string) (keys []key) {
	for i, n := range names {
		if i == series-1 && len(names) > series {
			return append(keys, key{seriesClass(names, n), fmt.Sprintf("%d others", len(names)-i)})
		}
		keys = append(keys, key{seriesClass(names, n), label(n, 40)})
	}
	return keys
}

// Stacked draws the cost per day, stacked by model.
func Stacked(days []Day) ([]byte, error) {
	f := newFigure("Money per day", 200)
	names := orderByTotal(days)
	f.keys = seriesKeys(names)
	var list boxes
	var marks labelledTicks
	var most, all int64
	every := (len(days) + mostMarks) / (mostMarks + 1)
	for i, d := range days {
		var sum int64
		for _, name := range names {
			for _, p := range d.Parts {
				if p.Name != name || p.Amount <= 0 {
					continue
				}
				says := d.Date.Format("Jan 2") + ": " + label(p.Name, 40) + ", " + evidence.Dollars(p.Amount)
				list = append(list, box{float64(i) - .36, float64(i) + .36, float64(sum) / 1e6, float64(sum+p.Amount) / 1e6, ink{seriesClass(names, name), says}})
				sum += p.Amount
			}
		}
		most, all = max(most, sum), all+sum
		if every < 2 || i%every == 0 {
			marks = append(marks, plot.Tick{Value: float64(i), Label: d.Date.Format("Jan 2")})
		}
	}
	top := newMoney(most)
	f.X.Tick.Marker, f.Y.Tick.Marker = marks, top
	f.addGrid(false)
	f.Add(list)
	f.caption = fmt.Sprintf("%s on %s.", evidence.Dollars(all), words.Count(len(days), "day"))
	if len(days) > 1 {
		f.caption = fmt.Sprintf("%s on %s, at most %s on one.", evidence.Dollars(all), words.Count(len(days), "day"), evidence.Dollars(most))
	}
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = -.6, float64(max(len(days), 5))-.4, 0, top.most
	return f.render()
}

// Trend draws how an amount of money changed, such as the cost of a merged criterion.
func Trend(what string, points []Point) ([]byte, error) {
	f := newFigure(label(what, 80), 150)
	f.caption = "Nothing to compare yet."
	var most int64
	var way plotter.XYs
	from, to := time.Time{}, time.Time{}
	for i, p := range points {
		most = max(most, p.MicroUSD)
		way = append(way, plotter.XY{X: seconds(p.At), Y: float64(p.MicroUSD) / 1e6})
		if i == 0 {
			from = p.At
		}
		to = p.At
	}
	if len(points) > 0 {
		first, last := points[0], points[len(points)-1]
		f.caption = fmt.Sprintf("%s on %s, %s on %s.", evidence.Dollars(first.MicroUSD), first.At.Format("Jan 2"), evidence.Dollars(last.MicroUSD), last.At.Format("Jan 2"))
	}
	if !to.After(from) {
		to = from.Add(24 * time.Hour)
	}
	top := newMoney(most)
	f.X.Tick.Marker, f.Y.Tick.Marker = clock{from, to}, top
	f.addGrid(false)
	if len(way) > 0 {
		f.Add(line("p-spend", way), dots(points))
	}
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = seconds(from), seconds(to), 0, top.most
	return f.render()
}

// Share draws the parts of a total as one bar.
func Share(what string, parts []Part) ([]byte, error) {
	f := newFigure(label(what, 80), 26)
	var names []string
	var all, at int64
	for _, p := range parts {
		names, all = append(names, p.Name), all+max(0, p.Amount)
	}
	var list boxes
	for i, p := range parts {
		if p.Amount <= 0 {
			continue
		}
		says := fmt.Sprintf("%s: %s (%.0f%%)", label(p.Name, 40), words.Thousands(p.Amount), 100*float64(p.Amount)/float64(all))
		class := seriesClass(names, p.Name)
		list = append(list, box{float64(at), float64(at + p.Amount), 0, 1, ink{class, says}})
		at += p.Amount
		if i < series {
			f.keys = append(f.keys, key{class, says})
		}
	}
	f.caption = words.Thousands(all) + " in all."
	f.HideAxes()
	f.Add(list)
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = 0, float64(max(all, 1)), 0, 1
	return f.render()
}

// dots marks points of a line, each with a tooltip.
type dots []Point

func (list dots) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	const half = 2.5
	for _, d := range list {
		px, py := x(seconds(d.At)), y(float64(d.MicroUSD)/1e6)
		c.FillPolygon(ink{"p-dot", d.At.Format("Jan 2") + ": " + evidence.Dollars(d.MicroUSD)}, []vg.Point{{X: px - half, Y: py}, {X: px, Y: py - half}, {X: px + half, Y: py}, {X: px, Y: py + half}})
	}
}
