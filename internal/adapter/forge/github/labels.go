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

// Label adds labels to an issue, then removes some.
func (t *Tracker) Label(ctx context.Context, number int, add, remove []string) error {
	doing := t.Doing("labelling issue %d", number)
	if len(add) > 0 {
		if _, err := t.Send(ctx, doing, http.MethodPost, t.Path("issues/%d/labels", number), add, nil); err != nil {
			return err
		}
	}
	for _, l := range remove {
		_, err := t.Send(ctx, doing, http.MethodDelete, t.Path("issues/%d/labels/%s", number, url.PathEscape(l)), nil, nil)
		if err != nil && !refused(err, forge.NotFound, "label") { // else it did not have the label
			return err
		}
	}
	return nil
}

// MakeLabels creates the missing labels.
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
		if err != nil && !refused(err, forge.Invalid, "already_exists") { // else another process was faster
			return err
		}
		have.Labels = append(have.Labels, l.Name)
	}
	return nil
}

// refused reports whether an error has this reason and contains a word in the server's message.
func refused(err error, r forge.Reason, word string) bool {
	var e *forge.Error
	return errors.As(err, &e) && e.Reason == r && strings.Contains(strings.ToLower(e.Why), word)
}
