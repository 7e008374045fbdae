package gitea

import (
	"context"
	"net/http"
	"strings"

	"warp/internal/engine/forge"
	"warp/internal/engine/forge/rest"
)

// Label adds labels to an issue, then removes some. The API wants label ids.
func (t *Tracker) Label(ctx context.Context, number int, add, remove []string) error {
	doing := t.Doing("labelling issue %d", number)
	var issue struct{ Labels []rest.Label }
	if err := t.Read(ctx, doing, t.Path("issues/%d", number), &issue); err != nil {
		return err
	}
	if len(add) > 0 {
		ids, err := t.labelIDs(ctx, doing, add)
		if err != nil {
			return err
		}
		if _, err := t.Send(ctx, doing, http.MethodPost, t.Path("issues/%d/labels", number), map[string]any{"labels": ids}, nil); err != nil {
			return err
		}
	}
	unwanted := forge.Issue{Labels: remove}
	for _, l := range issue.Labels {
		if !unwanted.Has(l.Name) {
			continue
		}
		if _, err := t.Send(ctx, doing, http.MethodDelete, t.Path("issues/%d/labels/%d", number, l.ID), nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// MakeLabels creates the missing labels. The server would create an existing one again.
func (t *Tracker) MakeLabels(ctx context.Context, labels []forge.Label) error {
	_, err := t.makeLabels(ctx, t.Doing("making labels"), labels)
	return err
}

// labelIDs returns the ids of labels by name; it creates missing ones.
func (t *Tracker) labelIDs(ctx context.Context, doing string, names []string) (any, error) {
	var wanted []forge.Label
	for _, n := range names {
		wanted = append(wanted, forge.Label{Name: n})
	}
	return t.makeLabels(ctx, doing, wanted)
}

func (t *Tracker) makeLabels(ctx context.Context, doing string, wanted []forge.Label) (ids []int64, err error) {
	have := map[string]int64{}
	if err := rest.Each(ctx, t.Repo, doing, t.Path("labels"), func(l rest.Label) { have[strings.ToLower(l.Name)] = l.ID }); err != nil {
		return nil, err
	}
	for _, l := range wanted {
		key := strings.ToLower(l.Name)
		if _, ok := have[key]; !ok {
			var made rest.Label
			if _, err := t.Send(ctx, doing, http.MethodPost, t.Path("labels"), rest.NewLabel(l, "#"), &made); err != nil {
				return nil, err
			}
			have[key] = made.ID
		}
		ids = append(ids, have[key])
	}
	return ids, nil
}
