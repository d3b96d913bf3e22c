package setting

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Setting is a setting of a command: a flag with a variable and a key of the configuration file.
type Setting struct {
	Group    string
	Flag     string // without dashes
	Variable string
	Default  string
	Help     string
}

// Of returns the settings of a command, in the order of its flags.
func Of(command *kong.Node) (all []Setting) {
	levels := command.AllFlags(true)
	for i := len(levels) - 1; i >= 0; i-- { // those of the command itself first
		for _, flag := range levels[i] {
			if len(flag.Envs) == 0 {
				continue
			}
			s := Setting{Flag: flag.Name, Variable: flag.Envs[0], Default: flag.Default, Help: flag.Help}
			if flag.Group != nil {
				s.Group = strings.TrimSuffix(flag.Group.Title, ":")
			}
			all = append(all, s)
		}
	}
	return all
}

// Markdown returns the settings as tables, by their groups. notes are texts that follow the help, by flag.
func Markdown(all []Setting, notes map[string]string) string {
	var order []string
	byGroup := map[string][]Setting{}
	for _, s := range all {
		if len(byGroup[s.Group]) == 0 {
			order = append(order, s.Group)
		}
		byGroup[s.Group] = append(byGroup[s.Group], s)
	}
	var b strings.Builder
	for _, group := range order {
		title := group
		if title == "" {
			title = "Server"
		}
		fmt.Fprintf(&b, "### %s\n\n| flag | variable | default | |\n|---|---|---|---|\n", title)
		for _, s := range byGroup[group] {
			value := ""
			if s.Default != "" {
				value = "`" + s.Default + "`"
			}
			text := escaped(s.Help)
			if note := notes[s.Flag]; note != "" {
				text += " " + note
			}
			fmt.Fprintf(&b, "| `--%s` | `%s` | %s | %s |\n", s.Flag, s.Variable, value, text)
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// escaped keeps Markdown from reading help as anything but text.
func escaped(help string) string {
	return strings.NewReplacer("|", `\|`, "<", `\<`, "*", `\*`, "_", `\_`).Replace(help)
}
