package redact

import (
	"slices"
	"testing"
)

func TestWarpsOwnSecretsAreForNobodyElse(t *testing.T) {
	all := []string{"A=1", "GITHUB_TOKEN=x", "WARP_TOKEN=y", "GITHUB_TOKENS=2"}
	if got := ForProject(all); !slices.Equal(got, []string{"A=1", "GITHUB_TOKENS=2"}) {
		t.Error(got)
	}
	if got := WithoutBridge(all); !slices.Equal(got, []string{"A=1", "GITHUB_TOKEN=x", "GITHUB_TOKENS=2"}) || len(all) != 4 || all[2] != "WARP_TOKEN=y" {
		t.Error(got, all)
	}
}
