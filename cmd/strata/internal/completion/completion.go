// Package completion completes command lines in shells.
//
// The scripts know nothing of the commands. They set COMP_LINE and COMP_POINT as bash does for the program of complete -C,
// start strata, and offer the lines that it prints, so that they never fall behind the program.
package completion

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/template"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"
)

// Command prints the script of a shell.
type Command struct {
	Shell string `arg:"" enum:"bash,zsh,fish,powershell" help:"The shell: bash, zsh, fish or powershell."`
}

// Help is the long help text; kong calls it.
func (*Command) Help() string {
	return `Let the shell read the script when it starts:

  bash, in ~/.bashrc:                  source <(strata completion bash)
  zsh, in ~/.zshrc:                    source <(strata completion zsh)
  fish, in ~/.config/fish/config.fish: strata completion fish | source
  PowerShell, in $PROFILE:             strata completion powershell | Out-String | Invoke-Expression`
}

// scripts are the scripts by shell. In each, Program is the absolute path of the program as the shell quotes it.
var scripts = map[string]*template.Template{
	"bash": script(`complete -o default -o bashdefault -C {{.Program}} strata`),
	"zsh": script(`(( $+functions[compdef] )) || { autoload -U +X compinit && compinit }
autoload -U +X bashcompinit && bashcompinit
complete -o default -o bashdefault -C {{.Program}} strata`),
	"fish": script(`function __complete_strata
    set -lx COMP_LINE (commandline -cp)
    {{.Program}}
end
complete -c strata -a "(__complete_strata)"`),
	"powershell": script(`Register-ArgumentCompleter -Native -CommandName strata -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $env:COMP_LINE = $commandAst.ToString().PadRight($cursorPosition - $commandAst.Extent.StartOffset)
    try {
        & {{.Program}} | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
    } finally {
        Remove-Item Env:COMP_LINE
    }
}`),
}

func script(text string) *template.Template {
	return template.Must(template.New("").Parse(text + "\n"))
}

// quoted returns a path as a word of a shell's language.
func quoted(shell, path string) string {
	switch shell {
	case "powershell":
		return "'" + strings.ReplaceAll(path, "'", "''") + "'"
	case "fish":
		return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(path) + "'"
	}
	word := "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	return `"$(printf %q ` + word + `)"` // complete -C evaluates its argument once more
}

// Run prints the script.
func (c *Command) Run() error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the path of this program: %w", err)
	}
	return c.write(os.Stdout, program)
}

func (c *Command) write(w io.Writer, program string) error {
	return scripts[c.Shell].Execute(w, struct{ Program string }{quoted(c.Shell, program)})
}

// Answer prints the completions and ends the program, if a shell has started it for that.
func Answer(parser *kong.Kong) { kongcompletion.Register(parser) }
