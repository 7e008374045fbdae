package approved

import (
	"slices"
	"testing"
)

func TestParse(t *testing.T) {
	got, err := Parse([]byte(`[{"number":4,"title":"a","approved_by":"ada"},{"number":5,"title":"b","approved_by":"ada","waits_for":[4,9]},{"number":6,"title":"c"}]`))
	want := []Issue{{"4", "a", ""}, {"5", "b", "waits for #4, #9"}, {"6", "c", "its approval does not count: warp issue show 6 says why"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := Parse([]byte("no tracker")); err == nil {
		t.Error("a message is a list")
	}
}
