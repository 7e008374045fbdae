package github

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"warp/internal/engine/forge"
	"warp/internal/engine/forge/rest"
)

// Label adds labels to an issue, then takes some away.
func (t *Tracker) Label(ctx context.Context, number int, add, remove []string) error {
	doing := t.Doing("labelling issue %d", number)
	if len(add) > 0 {
		if _, err := t.Send(ctx, doing, http.MethodPost, t.Path("issues/%d/labels", number), add, nil); err != nil {
			return err
		}
	}
	for _, l := range remove {
		_, err := t.Send(ctx, doing, http.MethodDelete, t.Path("issues/%d/labels/%s", number, url.PathEscape(l)), nil, nil)
		if err != nil && !refused(err, forge.NotFound, "label") { // else it has no such label
			return err
		}
	}
	return nil
}

// MakeLabels makes the labels that are missing.
func (t *Tracker) MakeLabels(ctx context.Context, labels []forge.Label) error {
	doing := t.Doing("making labels")
	have := forge.Issue{}
	if err := rest.Each(ctx, t.Repo, doing, t.Path("labels"), func(l rest.Label) { have.Labels = append(have.Labels, l.Name) }); err != nil {
		return err
	}
	for _, l := range labels {
		if have.Has(l.Name) {
			continue
		}
		_, err := t.Send(ctx, doing, http.MethodPost, t.Path("labels"), rest.NewLabel(l, ""), nil)
		if err != nil && !refused(err, forge.Invalid, "already_exists") { // else another was faster
			return err
		}
		have.Labels = append(have.Labels, l.Name)
	}
	return nil
}

// refused tells a failure by its reason and a word of the server's.
func refused(err error, r forge.Reason, word string) bool {
	var e *forge.Error
	return errors.As(err, &e) && e.Reason == r && strings.Contains(strings.ToLower(e.Why), word)
}
