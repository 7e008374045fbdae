package live

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"warp/internal/core/text"
	"warp/internal/engine/policy/drive"
	"warp/internal/ui/render"
)

// tell returns the lines about a note that stay: usually one, often none.
func (v *View) tell(n drive.Note, old watched, now *watched) []string {
	if n.Kind == drive.Ended && v.o.Terminal {
		return v.summary(n, now)
	}
	style, text := v.sentence(n, old, now)
	if text == "" {
		return nil
	}
	return []string{v.prefixNote(n, style, text)}
}

// prefixNote prefixes a text with its time, issue and kind.
func (v *View) prefixNote(n drive.Note, style, text string) string {
	where := name(n.Issue)
	if !v.o.Terminal {
		return fmt.Sprintf("%s %s %-10s %s", n.At.In(v.zone()).Format(time.RFC3339), cmp.Or(where, "-"), flat(string(n.Kind)), text)
	}
	if where != "" {
		where += " "
	}
	rest := plain
	if style == dim { // the text is unimportant, too
		rest = dim
	}
	return line{
		{dim, n.At.In(v.zone()).Format("15:04:05 ")},
		{plain, where},
		{style, fmt.Sprintf("%-10s ", flat(string(n.Kind)))},
		{rest, text},
	}.paint(v.o.Color)
}

// sentence returns a note as text; none if the block shows it or people need not know.
func (v *View) sentence(n drive.Note, old watched, now *watched) (style, words string) {
	said := flat(n.Text)
	switch n.Kind {
	case drive.Began:
		return bold, text.JoinNonEmpty(": ", flat(now.title), said)
	case drive.Phased:
		if !v.o.Verbose {
			return "", ""
		}
		return dim, v.moved(n)
	case drive.Criteria:
		return green, v.newlyMet(old, now)
	case drive.AgentBegan:
		if !v.o.Terminal {
			return dim, who(now)
		}
	case drive.AgentSaid:
		if e := n.Said; e != nil && e.Kind == "note" && e.Session == "" { // unexpected output
			return yellow, text.JoinNonEmpty(": ", who(now), text.JoinNonEmpty(" ", flat(e.Tool), flat(e.Text)))
		}
	case drive.AgentEnded:
		if !v.o.Terminal || said != "done" {
			return dim, text.JoinNonEmpty(": ", who(&old), said)
		}
	case drive.Tested:
		return resultText(n, "passed", "failed", said)
	case drive.Judged:
		return resultText(n, "met", "not met", said)
	case drive.Gated:
		if n.Passed == nil || !*n.Passed {
			return resultText(n, "passed", "failed", said)
		}
	case drive.Committed:
		return cyan, text.JoinNonEmpty(" ", text.Hash(flat(n.Hash)), said)
	case drive.Filed:
		return cyan, text.JoinNonEmpty(" ", text.JoinNonEmpty(" ", number(n.Number), said), flat(n.URL))
	case drive.Intervened, drive.Asked, drive.Skipped:
		return yellow, said
	case drive.Waiting:
		return yellow, v.waitChange(n, old, now)
	case drive.Ended:
		return bold, outcome(n, now)
	default:
		return plain, said
	}
	return plain, ""
}

func (v *View) moved(n drive.Note) string {
	move := flat(string(n.Phase))
	if n.From != "" {
		move = flat(string(n.From)) + " -> " + move
	}
	if n.Event != "" {
		move += " (" + flat(string(n.Event)) + ")"
	}
	return text.JoinNonEmpty(", ", move, chunk(n.Chunk, n.Total))
}

// newlyMet returns the newly met criteria, unless the block shows them.
func (v *View) newlyMet(old watched, now *watched) string {
	if v.o.Terminal {
		return ""
	}
	was := map[string]bool{}
	for _, c := range old.criteria {
		was[c.ID] = c.Done
	}
	var fresh []string
	for _, c := range now.criteria {
		if c.Done && !was[c.ID] {
			fresh = append(fresh, flat(c.ID))
		}
	}
	if len(fresh) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %s", score(now), strings.Join(fresh, ", "))
}

// waitChange reports the beginning and the end of a wait, once each.
func (v *View) waitChange(n drive.Note, old watched, now *watched) string {
	switch {
	case !now.waits() && old.waits():
		return text.JoinNonEmpty(": ", flat(old.why), "the wait is over")
	case now.waits() && (old.why != now.why || !old.until.Equal(now.until)):
		return v.wait(now, n.At)
	}
	return ""
}

func (v *View) wait(d *watched, now time.Time) string {
	when := d.until.In(v.zone()).Format(time.RFC3339)
	if v.o.Terminal {
		when = render.Moment(d.until, now.In(v.zone()))
	}
	return text.JoinNonEmpty(": ", flat(d.why), fmt.Sprintf("waiting until %s (in %s)", when, render.Left(d.until.Sub(now))))
}

func (v *View) zone() *time.Location { return v.o.Now().Location() }

// tellMissed reports lines dropped because the output was read too slowly.
func (v *View) tellMissed() []string {
	n := drive.Note{At: v.o.Now(), Kind: drive.Remark, Text: fmt.Sprintf("%d lines were dropped: they were not read in time", v.missed)}
	if v.o.JSON {
		return []string{marshalNote(n)}
	}
	return []string{v.prefixNote(n, yellow, n.Text)}
}

func resultText(n drive.Note, good, bad, said string) (style, words string) {
	switch {
	case n.Passed == nil:
		return yellow, said
	case *n.Passed:
		return green, text.JoinNonEmpty(": ", good, said)
	}
	return red, text.JoinNonEmpty(": ", bad, said)
}

// row is a note as JSON; the package comment describes its members.
type row struct {
	drive.Note
	Said string `json:"said,omitempty"`
	Left int64  `json:"left_seconds,omitempty"`
}

// marshalNote returns a note as one line of JSON.
func marshalNote(n drive.Note) string {
	n.At = n.At.UTC()
	r := row{Note: n, Left: int64(n.Left.Seconds())}
	if s := n.Said; s != nil {
		r.Said = s.Kind
		set(&r.Text, s.Text)
		set(&r.Tool, s.Tool)
		if s.Reset != nil {
			r.Until = *s.Reset
		}
	}
	if !r.Until.IsZero() {
		r.Until = r.Until.UTC()
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil { // a year that RFC 3339 cannot express
		return fmt.Sprintf(`{"kind":"note","text":%q}`, "a note could not be written: "+err.Error())
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
