package plot

import (
	"slices"
	"time"

	"gonum.org/v1/plot/plotter"

	"warp/internal/core/evidence"
)

// Point is an amount of money at a time.
type Point struct {
	At       time.Time
	MicroUSD int64
}

// Burn is a night's spending. Points are running totals in order of time.
type Burn struct {
	From   time.Time // when it began
	Now    time.Time
	End    time.Time // latest end; zero: unlimited, or over
	Cap    int64     // zero: none
	Points []Point
}

// spent returns the total so far.
func (b Burn) spent() (sum int64) {
	for _, p := range b.Points {
		sum = max(sum, p.MicroUSD)
	}
	return sum
}

// projection extrapolates the spending at the current rate to the end, or to the cap if that
// comes first.
func (b Burn) projection() (to Point, capped bool) {
	spent, gone := b.spent(), b.Now.Sub(b.From).Seconds()
	if spent == 0 || gone < 60 || !b.End.After(b.Now) {
		return Point{}, false
	}
	pace := float64(spent) / gone
	to = Point{b.End, spent + int64(pace*b.End.Sub(b.Now).Seconds())}
	if b.Cap > 0 && to.MicroUSD >= b.Cap {
		left := float64(max(b.Cap-spent, 0)) / pace
		return Point{b.Now.Add(time.Duration(left * float64(time.Second))), max(b.Cap, spent)}, true
	}
	return to, false
}

// caption describes the lines in words.
func (b Burn) caption(to Point, capped bool) string {
	says := evidence.Dollars(b.spent()) + " spent"
	if b.Cap > 0 {
		says = evidence.Dollars(b.spent()) + " of " + evidence.Dollars(b.Cap) + " spent"
	}
	switch {
	case capped:
		says += "; at this pace the cap is reached at " + to.At.Format("15:04")
	case !to.At.IsZero():
		says += "; at this pace " + evidence.Dollars(to.MicroUSD) + " by " + to.At.Format("15:04")
	}
	return says + "."
}

// BurnDown draws the spending against the cap, and its projection.
func BurnDown(b Burn) ([]byte, error) {
	f := newFigure("Money spent over the night", 200)
	to, capped := b.projection()
	f.caption = b.caption(to, capped)
	last := latest(b.From.Add(10*time.Minute), b.Now, b.End)
	top := newMoney(max(b.spent(), b.Cap, to.MicroUSD))
	f.X.Tick.Marker, f.Y.Tick.Marker = clock{b.From, last}, top
	f.addGrid(false)
	done := plotter.XYs{{X: seconds(b.From), Y: 0}}
	for _, p := range b.Points {
		done = append(done, plotter.XY{X: seconds(p.At), Y: done[len(done)-1].Y}, plotter.XY{X: seconds(p.At), Y: float64(p.MicroUSD) / 1e6})
	}
	now := earliest(b.Now, last)
	done = append(done, plotter.XY{X: seconds(now), Y: done[len(done)-1].Y})
	area := append(slices.Clone(done), plotter.XY{X: seconds(now)})
	f.Add(shape{"p-spend", area}, line("p-spend", done))
	f.keys = []key{{"p-spend", "spent"}}
	if b.Cap > 0 {
		y := float64(b.Cap) / 1e6
		f.Add(line("p-cap", plotter.XYs{{X: seconds(b.From), Y: y}, {X: seconds(last), Y: y}}))
		f.keys = append(f.keys, key{"p-cap", "cap"})
	}
	if !to.At.IsZero() {
		f.Add(line("p-ahead", plotter.XYs{done[len(done)-1], {X: seconds(to.At), Y: float64(to.MicroUSD) / 1e6}}))
		f.keys = append(f.keys, key{"p-ahead", "at this pace"})
	}
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = seconds(b.From), seconds(last), 0, top.most
	return f.render()
}

func latest(list ...time.Time) time.Time { return slices.MaxFunc(list, time.Time.Compare) }

func earliest(list ...time.Time) time.Time { return slices.MinFunc(list, time.Time.Compare) }
