package plot

import (
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// ink is a CSS class instead of a colour, and the tooltip of a shape.
type ink struct{ class, title string }

// RGBA makes ink a colour for the library; the canvas uses its class.
func (ink) RGBA() (r, g, b, a uint32) { return 0, 0, 0, 0xffff }

var _ color.Color = ink{}

// canvas writes SVG elements with classes. The library's own canvas writes fixed colours in
// style attributes, which a Content-Security-Policy forbids and a dark page cannot change.
type canvas struct {
	strings.Builder
	width, height float64
	ink           ink
	err           error
}

var errTransform = errors.New("plots do not turn, move or scale what they draw")

func (c *canvas) SetLineWidth(vg.Length)              {} // set by the style sheet
func (c *canvas) SetLineDash([]vg.Length, vg.Length)  {} // set by the style sheet
func (c *canvas) Push()                               {} // nothing to save: every shape has its own ink
func (c *canvas) Pop()                                {} // every shape has its own ink
func (c *canvas) Rotate(float64)                      { c.err = errTransform }
func (c *canvas) Translate(vg.Point)                  { c.err = errTransform }
func (c *canvas) Scale(float64, float64)              { c.err = errTransform }
func (c *canvas) DrawImage(vg.Rectangle, image.Image) { c.err = errors.New("plots have no images") }
func (c *canvas) FillString(font.Face, vg.Point, string) {
	c.err = errors.New("the text handler draws text")
}

func (c *canvas) SetColor(of color.Color) {
	i, ok := of.(ink)
	if !ok {
		c.err = errors.New("a plot has a colour that the style sheet does not know")
	}
	c.ink = i
}

func (c *canvas) Stroke(p vg.Path) { c.path("l ", p) }

func (c *canvas) Fill(p vg.Path) { c.path("f ", p) }

func (c *canvas) path(how string, p vg.Path) {
	if c.ink.class == "none" {
		return
	}
	c.WriteString(`<path class="` + how + c.ink.class + `" d="`)
	for _, step := range p {
		switch step.Type {
		case vg.MoveComp:
			c.WriteString("M" + c.at(step.Pos))
		case vg.LineComp:
			c.WriteString("L" + c.at(step.Pos))
		case vg.CloseComp:
			c.WriteString("Z")
		default:
			c.err = errors.New("plots have no curves")
		}
	}
	c.WriteString(`"`)
	if c.ink.title == "" {
		c.WriteString("/>\n")
		return
	}
	c.WriteString("><title>" + escape(c.ink.title) + "</title></path>\n")
}

// at returns a point in SVG coordinates, which start at the top.
func (c *canvas) at(p vg.Point) string {
	return formatNumber(p.X.Points()) + " " + formatNumber(c.height-p.Y.Points())
}

// formatNumber formats a number with at most one decimal.
func formatNumber(x float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
}

// escape escapes text for elements and attributes.
func escape(words string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(words)) // a Builder never fails
	return b.String()
}

// lettering is the library's text handler. The browser places the text by its anchor in the
// page's font, so that no font has to be read, measured or sent.
type lettering struct{ *canvas }

const (
	letter = 15 // text height in drawing units, legible on a phone
	wide   = .5 // width relative to the height
)

func (lettering) Cache() *font.Cache        { return nil }
func (lettering) Lines(txt string) []string { return []string{txt} }

func (lettering) Extents(f font.Font) font.Extents {
	return font.Extents{Ascent: f.Size * .8, Descent: f.Size * .2, Height: f.Size * 1.2}
}

func (lettering) Box(txt string, f font.Font) (width, height, depth vg.Length) {
	return f.Size * vg.Length(wide*float64(len([]rune(txt)))), f.Size * .8, f.Size * .2
}

func (l lettering) Draw(_ vg.Canvas, txt string, sty text.Style, pt vg.Point) {
	if txt == "" {
		return
	}
	l.SetColor(sty.Color)
	anchor := map[text.XAlignment]string{text.XCenter: " mid", text.XRight: " end"}[sty.XAlign]
	down := map[text.YAlignment]vg.Length{text.YTop: 1.07, text.YCenter: .43}[sty.YAlign] * sty.Font.Size
	x, y, _ := strings.Cut(l.at(vg.Point{X: pt.X, Y: pt.Y - down}), " ")
	l.WriteString(`<text class="` + l.ink.class + anchor + `" x="` + x + `" y="` + y + `">` + escape(txt))
	if l.ink.title != "" {
		l.WriteString("<title>" + escape(l.ink.title) + "</title>")
	}
	l.WriteString("</text>\n")
}
