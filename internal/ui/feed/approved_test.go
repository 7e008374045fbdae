package feed

import (
	"slices"
	"testing"
)

func TestParseApproved(t *testing.T) {
	got, err := ParseApproved([]byte(`[{"number":4,"title":"a","approved_by":"ada","body":"- [ ] AC-01: x"},{"number":7,"title":"d","approved_by":"ada","body":"x"},{"number":8,"title":"e","approved_by":"ada","body":"- [x] AC-01: x"},{"number":9,"title":"f","approved_by":"ada","body":"- [ ] AC-01: x\n- [ ] AC-01: y"},{"number":5,"title":"b","approved_by":"ada","waits_for":[4,9]},{"number":6,"title":"c"}]`))
	want := []ApprovedIssue{{"4", "a", ""}, {"7", "d", "it has no acceptance criteria"}, {"8", "e", "every criterion is checked off already"}, {"9", "f", "line 2: the criterion AC-01 appears twice, first on line 1"}, {"5", "b", "waits for #4, #9"}, {"6", "c", "its approval does not count: warp issue show 6 says why"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := ParseApproved([]byte("no tracker")); err == nil {
		t.Error("a message is a list")
	}
}
