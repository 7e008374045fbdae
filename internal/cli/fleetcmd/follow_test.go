package fleetcmd

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.temporal.io/api/serviceerror"

	"warp/internal/core/fleetfile"
)

func TestAChangedFileIsAppliedAndABrokenOneIsNot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fleet.yaml")
	const fine = "repositories: [{url: 'https://example.invalid/a/b.git'}]\npools: [{label: x, slots: 1, accounts: [one]}]\naccounts: [{name: one}]\n"
	var out bytes.Buffer
	var applied int
	var refusal error
	f := &follower{path: path, out: &out, apply: func(fleetfile.File) error {
		if refusal == nil {
			applied++
		}
		return refusal
	}}
	for _, c := range []struct {
		text    string // "": the file is gone
		refusal error
		applied int
		said    string
	}{
		{fine, nil, 1, "has changed: the fleet now uses the new version"},
		{fine, nil, 1, ""},
		{"", nil, 1, "cannot be read: no such file or directory\nthe fleet keeps the last valid file"},
		{"", nil, 1, ""},
		{fine + "caps: {night: -1}\n", nil, 1, "fleet.yaml:4:"},
		{fine + "caps: {night: -1}\n", nil, 1, ""},
		{fine + "caps: {night: 1}\n", errors.New("the server is away"), 1, "has not received the change"},
		{fine + "caps: {night: 1}\n", errors.New("the server is away"), 1, ""},
		{fine + "caps: {night: 1}\n", nil, 2, "has changed"},
	} {
		_ = os.Remove(path)
		if c.text != "" {
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out.Reset()
		refusal = c.refusal
		f.applyChange()
		if applied != c.applied || !strings.Contains(out.String(), c.said) || (c.said == "") != (out.Len() == 0) {
			t.Errorf("%q: applied %d times, said %q", c.text, applied, &out)
		}
	}
}

func TestWorkersGetTheWayToTheServer(t *testing.T) {
	o := upOptions{link: link{fleet: "f", apiKeyFile: "key.txt"}, warp: "/bin/warp"}
	o.Address, o.Options.Fleet, o.TLS, o.CA, o.APIKey = "host:1", "f.key", true, "ca.pem", "secret"
	list := o.workerFlags()
	for flag, value := range map[string]string{"--fleet": "f", "--connect": "host:1", "--key": "f.key", "--api-key-file": "key.txt", "--tls-ca": "ca.pem", "--warp": "/bin/warp"} {
		if i := slices.Index(list, flag); i < 0 || list[i+1] != value {
			t.Errorf("%s is missing in %v", flag, list)
		}
	}
	if !slices.Contains(list, "--tls") || slices.Contains(list, "secret") {
		t.Error(list)
	}
}

func TestTheLocalZoneIsOneThatServersKnow(t *testing.T) {
	for set, want := range map[string]string{"Europe/Berlin": "Europe/Berlin", ":Asia/Tokyo": "Asia/Tokyo", "nonsense": "UTC"} {
		t.Setenv("TZ", set)
		if got := localZone(); got != want && set != "nonsense" || got == "nonsense" {
			t.Errorf("TZ=%s: %s", set, got)
		}
	}
}

func TestAServerThatIsNotReadyIsWaitedFor(t *testing.T) {
	var out bytes.Buffer
	tries := 0
	err := awaitFleet(t.Context(), &out, func(context.Context) error {
		if tries++; tries < 3 {
			return serviceerror.NewUnavailable("starts")
		}
		return errors.New("no")
	})
	if err == nil || err.Error() != "no" || tries != 3 || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("%d tries, %v, %q", tries, err, &out)
	}
}
