package sessionstate

import "warp/internal/core/text"

// isPlateau reports whether an iteration found nothing left to improve: its agent said so, and
// changed nothing.
func (r Row) isPlateau() bool { return r.End == "" && r.Plateau && !r.Changed }

// reachedPlateau ends a loop after enough such iterations in a row.
func (u Until) reachedPlateau(f Facts) Decision {
	if f.Plateaus < u.row() || f.Iterations < u.min() {
		return Decision{}
	}
	why := " and changed nothing"
	if f.Unseen > 0 { // without a repository changes cannot be seen
		why = ""
	}
	return stop(ReasonPlateau, "%s in a row found nothing to improve%s", text.Count(f.Plateaus, "iteration"), why)
}
