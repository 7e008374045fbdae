package status

import (
	"fmt"
	"path/filepath"

	"warp/internal/cli/app"
	"warp/internal/core/lossless"
	"warp/internal/durable"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// sight is what is seen of a repository's drives: the requested one,
// and the others.
type sight struct {
	project string
	view    *turnstile.View // nil: there is none here
	others  []render.Other
	notes   []string
}

// look finds the drives. That there is none is an error.
func look(a *app.App, d *turnstile.Drive) (sight, error) {
	s := sight{project: filepath.Base(d.Root())}
	v, err := d.Read()
	if err == nil {
		s.view, s.notes = &v, v.Notes
	} else if !durable.IsMissing(err) {
		return s, err
	}
	for _, o := range app.FindOtherDrives(d, a.Env) {
		if o.Err != nil {
			s.notes = append(s.notes, fmt.Sprintf("the drive in %s cannot be read: %v", o.Root(), o.Err))
			continue
		}
		st := o.View.State
		s.others = append(s.others, render.Other{
			Issue: st.Issue(), Phase: string(st.Phase), Chunk: st.Chunk.Index, Chunks: st.Chunk.Total,
			StartedAt: st.Session.StartedAt, Stale: o.View.Stale, Paused: st.Paused != nil, Frozen: st.Frozen != nil,
			Folder: shown(d.Root(), o.Root()), Root: o.Root(),
		})
	}
	if s.view == nil && len(s.others) == 0 {
		return s, err
	}
	return s, nil
}

// json is the document of the drive here, if there is one, with what else is
// seen.
func (s sight) json() []byte {
	others := s.others
	if others == nil {
		others = []render.Other{} // jq iterates over no null
	}
	if s.view == nil {
		doc := lossless.Encode(struct {
			Project string         `json:"project"`
			Others  []render.Other `json:"others"`
		}{s.project, others}, nil)
		return append(lossless.AppendIndent(nil, doc), '\n')
	}
	return s.view.JSON(
		lossless.Member{Key: "project", Value: lossless.NewString(s.project)},
		lossless.Member{Key: "stale", Value: lossless.Encode(s.view.Stale, nil)},
		lossless.Member{Key: "others", Value: lossless.Encode(others, nil)})
}
