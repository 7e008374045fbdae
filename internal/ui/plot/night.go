package plot

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"warp/internal/core/evidence"
)

// Hour is what a night merged and spent in one hour.
type Hour struct {
	Merged   int
	MicroUSD int64
}

// counts is a scale of whole numbers from 0.
type counts struct{ most float64 }

// Ticks implements plot.Ticker.
func (c counts) Ticks(_, _ float64) (list []plot.Tick) {
	step := math.Max(1, money(c).step())
	for v := 0.0; v <= c.most; v += step {
		list = append(list, plot.Tick{Value: v, Label: strconv.Itoa(int(v))})
	}
	return list
}

const halfHeight = 200 // height of each of a night's two plots

// Night draws what a night merged in each hour above its total spending, as a standalone SVG
// with its own style sheet.
func Night(begin time.Time, hours []Hour) ([]byte, error) {
	merged, most, spent := 0, 0, int64(0)
	bars, sum := boxes{}, plotter.XYs{{X: seconds(begin)}}
	at := func(n int) time.Time { return begin.Add(time.Duration(n) * time.Hour) }
	for n, h := range hours {
		merged, most, spent = merged+h.Merged, max(most, h.Merged), spent+h.MicroUSD
		says := fmt.Sprintf("%s: %d merged, %s spent", at(n).Format("Jan 2 15:04"), h.Merged, evidence.Dollars(h.MicroUSD))
		bars = append(bars, box{seconds(at(n)), seconds(at(n + 1)), 0, float64(h.Merged), ink{"p-verify", says}})
		sum = append(sum, plotter.XY{X: seconds(at(n + 1)), Y: float64(spent) / 1e6})
	}
	top, dollars := counts{math.Max(1, float64(most)*1.05)}, newMoney(spent)
	throughput, burn := newFigure("Merged by hour", halfHeight), newFigure("Money spent", halfHeight)
	throughput.Y.Tick.Marker, throughput.Y.Max = top, top.most
	burn.Y.Tick.Marker, burn.Y.Max = dollars, dollars.most
	end := at(max(1, len(hours)))
	for _, f := range []*figure{throughput, burn} {
		f.addGrid(false)
		f.X.Tick.Marker, f.X.Min, f.X.Max, f.Y.Min = clock{begin, end}, seconds(begin), seconds(end), 0
	}
	throughput.Add(bars)
	area := append(append(plotter.XYs{}, sum...), plotter.XY{X: sum[len(sum)-1].X})
	burn.Add(shape{"p-spend", area}, line("p-spend", sum))
	return stack(fmt.Sprintf("A night: %d merged, %s", merged, evidence.Dollars(spent)), throughput, burn)
}

// stack arranges figures vertically in one SVG.
func stack(title string, figures ...*figure) ([]byte, error) {
	const head = 24 // for each title
	var b strings.Builder
	height := float64(head)
	for _, f := range figures {
		f.Draw(draw.NewCanvas(sized{&f.canvas}, vg.Length(f.canvas.width), vg.Length(f.canvas.height)))
		if f.canvas.err != nil {
			return nil, fmt.Errorf("drawing %q: %w", f.title, f.canvas.err)
		}
		fmt.Fprintf(&b, "<g transform=\"translate(0 %s)\">\n<text class=\"p-label\" x=\"0\" y=\"-8\">%s</text>\n%s</g>\n", formatNumber(height), escape(f.title), f.canvas.String())
		height += f.canvas.height + head
	}
	return fmt.Appendf(nil, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" viewBox=\"0 0 %d %s\">\n<title>%s</title>\n<style>\n.plot{font-family:system-ui,sans-serif}\n%s</style>\n%s</svg>\n",
		width, formatNumber(height-head), escape(title), escape(Style), b.String()), nil
}
