// Package plot draws a night's costs and times as SVG. The colours come from the page's style
// sheet, dark or light; a title and a description serve screen readers. The same data gives the
// same bytes.
//
// It returns a figure element to embed as it is: every label is bounded and escaped, and it has
// no script, style attribute or link.
package plot

import (
	_ "embed"
	"fmt"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	words "warp/internal/core/text"
)

// Style is the style sheet of plots. Its colours are variables that a page can set.
//
//go:embed plot.css
var Style string

const width = 560 // of every drawing, in its units

// key is an entry of the legend.
type key struct{ class, name string }

// figure is a plot in progress.
type figure struct {
	*plot.Plot
	canvas  canvas
	title   string
	caption string
	keys    []key
}

func newFigure(title string, height float64) *figure {
	f := &figure{Plot: plot.New(), canvas: canvas{width: width, height: height}, title: title}
	f.BackgroundColor = ink{class: "none"}
	f.TextHandler = lettering{&f.canvas}
	f.Title.TextStyle.Handler = f.TextHandler
	f.Legend.TextStyle.Handler = f.TextHandler
	for _, a := range []*plot.Axis{&f.X, &f.Y} {
		a.Padding = 0
		a.LineStyle.Color = ink{class: "p-axis"}
		a.Label.TextStyle.Handler = f.TextHandler
		a.Label.TextStyle.Font = font.Font{Size: letter / 2} // distance of the labels
		a.Tick.LineStyle.Width = 0                           // the grid shows the ticks
		a.Tick.Label = text.Style{Color: ink{class: "p-label"}, Font: font.Font{Size: letter}, XAlign: a.Tick.Label.XAlign, YAlign: a.Tick.Label.YAlign, Handler: f.TextHandler}
	}
	f.Y.LineStyle.Width = 0
	f.Y.LineStyle.Color = ink{class: "none"}
	return f
}

// addGrid adds lines at the ticks of the value axis, behind everything.
func (f *figure) addGrid(upright bool) {
	g := plotter.NewGrid()
	g.Horizontal.Color, g.Vertical.Color = ink{class: "p-grid"}, ink{class: "none"}
	if upright {
		g.Horizontal.Color, g.Vertical.Color = g.Vertical.Color, g.Horizontal.Color
	}
	f.Add(g)
}

func (f *figure) render() ([]byte, error) {
	f.Draw(draw.NewCanvas(sized{&f.canvas}, vg.Length(f.canvas.width), vg.Length(f.canvas.height)))
	if f.canvas.err != nil {
		return nil, fmt.Errorf("drawing %q: %w", f.title, f.canvas.err)
	}
	var b strings.Builder
	title, caption := escape(f.title), escape(f.caption)
	fmt.Fprintf(&b, `<figure class="plot"><svg role="img" aria-label="%s" viewBox="0 0 %s %s">`, title, formatNumber(f.canvas.width), formatNumber(f.canvas.height))
	fmt.Fprintf(&b, "\n<title>%s</title>\n<desc>%s</desc>\n%s</svg>\n<figcaption><p>%[2]s</p>", title, caption, f.canvas.String())
	if len(f.keys) > 1 { // a single series needs no legend
		b.WriteString(`<ul class="keys">`)
		for _, k := range f.keys {
			b.WriteString(`<li><i class="` + k.class + `"></i>` + escape(k.name) + "</li>")
		}
		b.WriteString("</ul>")
	}
	b.WriteString("</figcaption></figure>\n")
	return []byte(b.String()), nil
}

// sized adds the Size method the library requires.
type sized struct{ *canvas }

func (s sized) Size() (x, y vg.Length) { return vg.Length(s.width), vg.Length(s.height) }

// box is a rectangle in data coordinates.
type box struct {
	left, right, bottom, top float64
	ink                      ink
}

// boxes draws rectangles: bars, parts of bars, runs.
type boxes []box

func (list boxes) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, b := range list {
		left, right := x(b.left), x(b.right)
		if right-left < 1 { // keep short runs visible
			right = left + 1
		}
		low, high := y(b.bottom), y(b.top)
		c.FillPolygon(b.ink, []vg.Point{{X: left, Y: low}, {X: right, Y: low}, {X: right, Y: high}, {X: left, Y: high}})
	}
}

// line returns a line through points in data coordinates.
func line(class string, points plotter.XYs) *plotter.Line {
	l := &plotter.Line{XYs: points}
	l.LineStyle = draw.LineStyle{Color: ink{class: class}, Width: 1}
	return l
}

// label returns a display name of at most most runes; others write the names of issues and
// models.
func label(name string, most int) string {
	return words.ClipRunes(words.VisibleLine(words.Prefix(name, 4*most+4)), most)
}

// shape is an area below a line.
type shape struct {
	class  string
	points plotter.XYs
}

func (s shape) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var way []vg.Point
	for _, q := range s.points {
		way = append(way, vg.Point{X: x(q.X), Y: y(q.Y)})
	}
	c.FillPolygon(ink{class: s.class}, way)
}
