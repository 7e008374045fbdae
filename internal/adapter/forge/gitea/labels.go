package gitea

import (
	"cmp"
	"context"
	"strings"

	api "code.gitea.io/sdk/gitea"

	"warp/internal/engine/forge"
)

// MakeLabels makes the labels that are missing. The server would make one a
// second time.
func (t *Tracker) MakeLabels(ctx context.Context, labels []forge.Label) error {
	_, err := t.labels(ctx, t.of("making labels"), labels)
	return err
}

// ids are those of labels by name; one that is missing is made.
func (t *Tracker) ids(ctx context.Context, doing string, names []string) ([]int64, error) {
	if len(names) == 0 {
		return nil, nil
	}
	var wanted []forge.Label
	for _, n := range names {
		wanted = append(wanted, forge.Label{Name: n})
	}
	return t.labels(ctx, doing, wanted)
}

func (t *Tracker) labels(ctx context.Context, doing string, wanted []forge.Label) ([]int64, error) {
	have := map[string]int64{}
	resp, err := pages(func(page api.ListOptions) (*api.Response, error) {
		found, resp, err := t.client(ctx).ListRepoLabels(t.owner, t.repo, api.ListLabelsOptions{ListOptions: page})
		for _, l := range found {
			have[strings.ToLower(l.Name)] = l.ID
		}
		return resp, err
	})
	if err != nil {
		return nil, t.fail(ctx, doing, resp, err)
	}
	var ids []int64
	for _, l := range wanted {
		key := strings.ToLower(l.Name)
		if _, ok := have[key]; !ok {
			color := "#" + cmp.Or(strings.TrimPrefix(l.Color, "#"), forge.Grey)
			made, resp, err := t.client(ctx).CreateLabel(t.owner, t.repo, api.CreateLabelOption{Name: l.Name, Color: color, Description: l.Description})
			if err != nil {
				return nil, t.fail(ctx, doing, resp, err)
			}
			have[key] = made.ID
		}
		ids = append(ids, have[key])
	}
	return ids, nil
}
