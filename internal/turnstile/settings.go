package turnstile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"warp/internal/core/config"
	"warp/internal/core/lossless"
	"warp/internal/sys/git"
)

// Settings reads the project's configuration.
func (p *Project) Settings() (config.Settings, error) {
	user, text, err := p.readSettings()
	if err != nil {
		return config.Settings{Workflow: config.Default()}, err
	}
	s, err := config.ParseOver(p.env.UserSettings, user, text)
	if p.env.Trust != nil {
		if why := p.env.Trust(p.SettingsPath(), text); why != nil && p.settingsCameWithRepo() {
			s.Refused = why
		}
	}
	return s, err
}

// EditsPerFile returns how often one file may be edited in a phase before the agent is warned.
func (p *Project) EditsPerFile() (int, error) {
	user, text, err := p.readSettings()
	if err != nil {
		return 0, err
	}
	return config.EditsPerFile(p.env.UserSettings, user, text)
}

// readSettings reads the user's settings and the project's.
func (p *Project) readSettings() (user, project []byte, err error) {
	if project, err = p.Home().ReadFile(config.File); err != nil {
		return nil, nil, err
	}
	if p.env.UserSettings == "" {
		return nil, project, nil
	}
	user, err = os.ReadFile(p.env.UserSettings)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("reading your settings: %w", err)
	}
	return user, project, nil
}

// UserSettingsFile returns the path of the user's settings for all projects, "" if there is none.
func UserSettingsFile(getenv func(string) string) string {
	// A relative path would lead into a project; the XDG standard says to ignore it.
	for _, at := range [][]string{{"XDG_CONFIG_HOME"}, {"APPDATA"}, {"HOME", ".config"}} {
		if dir := getenv(at[0]); filepath.IsAbs(dir) {
			return filepath.Join(append(append([]string{dir}, at[1:]...), "warp", "settings.json")...)
		}
	}
	return ""
}

// SettingsPath returns the path of the project's settings.
func (p *Project) SettingsPath() string {
	return filepath.Join(filepath.Dir(p.Home().Dir()), filepath.FromSlash(config.File))
}

// settingsCameWithRepo reports whether git tracks the settings. If not, the user wrote them here,
// and they need no trust.
func (p *Project) settingsCameWithRepo() bool {
	if p.tracked == nil {
		a, err := git.Repo{Dir: filepath.Dir(p.Home().Dir())}.Run(context.Background(), git.Call{Args: []string{"ls-files", "--error-unmatch", "--", p.SettingsPath()}})
		tracked := err == nil && a.Exit == 0 || err != nil && !errors.Is(err, git.ErrNoGit)
		p.tracked = &tracked
	}
	return *p.tracked
}

// EditSettings changes the text of the settings, whole or not at all.
func (p *Project) EditSettings(edit func([]byte) ([]byte, error)) error {
	return p.Home().EditFile(config.File, edit)
}

// SetSetting sets one setting and leaves every other byte of the file as it is.
func (p *Project) SetSetting(key string, value *lossless.Value) error {
	return p.EditSettings(func(text []byte) ([]byte, error) {
		next, err := lossless.Set(text, value, config.Section, key)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be edited, nothing was changed: %w", config.File, err)
		}
		return next, nil
	})
}
