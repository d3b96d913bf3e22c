// Package comment turns the comments in SQL files into comments that Postgres keeps, so that SQL users read beside each
// table, view and column what the code's readers do.
//
// A file describes a table or a view in the lines of comment directly above its CREATE, and a column at the end of its
// line or in the lines above it. What columns of one name mean wherever they are, the file says once:
//
//	-- Columns without a comment of their own:
//	--   height: of the Stacks block that the row comes from
package comment

import (
	"regexp"
	"strings"
)

// Comment is the comment on a table, view or column.
type Comment struct {
	// Kind is TABLE, VIEW, FUNCTION or COLUMN.
	Kind string
	// Object is its name in SQL, with the schema.
	Object string
	Text   string
}

// SQL returns the statement that makes Postgres keep the comment.
func (c Comment) SQL() string {
	return "COMMENT ON " + c.Kind + " " + c.Object + " IS '" + strings.ReplaceAll(c.Text, "'", "''") + "';\n"
}

// Statements returns the SQL that makes Postgres keep these comments.
func Statements(all []Comment) string {
	var b strings.Builder
	for _, c := range all {
		b.WriteString(c.SQL())
	}
	return b.String()
}

var (
	create = regexp.MustCompile(`^CREATE (TABLE|VIEW) (\S+?)(?: \(| AS(?: SELECT.*)?)$`)
	// functions have no columns
	function = regexp.MustCompile(`^CREATE FUNCTION (api\.\w+)`)
	meaning  = regexp.MustCompile(`^--   ([a-z0-9_]+): (.*)$`)
	column   = regexp.MustCompile(`^"?[a-z0-9_]+"?$`) // and not a constraint
	word     = regexp.MustCompile(`"?([A-Za-z0-9_]+)"?$`)
)

// glossaryTitle begins what a file says about columns of one name in all of its tables.
const glossaryTitle = "-- Columns without a comment of their own:"

// Parse returns the comments of a file's tables, views and columns, in their order. Each column of a table is on a line of its
// own, and the list of a view's columns ends with the line that begins with FROM.
func Parse(sql string) (all []Comment) {
	p := parser{meanings: map[string]string{}}
	for line := range strings.SplitSeq(sql, "\n") {
		p.line(line)
	}
	return p.all
}

type parser struct {
	all      []Comment
	meanings map[string]string // by the name of the column
	glossary bool              // the last line was of the glossary
	meant    string            // the column that it was about
	above    []string          // the lines of comment directly above
	kind     string            // of what is being described; empty outside
	object   string
	depth    int    // of brackets in the expression of a view's column
	code     string // of the column so far
	beside   []string
}

func (p *parser) line(line string) {
	if p.glossary && p.explain(line) {
		return
	}
	text := strings.TrimSpace(line)
	switch {
	case text == glossaryTitle:
		p.glossary, p.meant = true, ""
	case strings.HasPrefix(text, "--"):
		p.above = append(p.above, strings.TrimSpace(strings.TrimPrefix(text, "--")))
	case p.kind == "":
		p.outside(text)
	case p.kind == "TABLE":
		p.inTable(text)
	default:
		p.inView(text)
	}
}

// explain reads a line of the glossary; false if the line is behind it.
func (p *parser) explain(line string) bool {
	if m := meaning.FindStringSubmatch(line); m != nil {
		p.meant = m[1]
		p.meanings[p.meant] = m[2]
		return true
	}
	if rest, ok := strings.CutPrefix(line, "--     "); ok && p.meant != "" {
		p.meanings[p.meant] += " " + strings.TrimSpace(rest)
		return true
	}
	p.glossary = false
	return false
}

func (p *parser) outside(text string) {
	if m := create.FindStringSubmatch(text); m != nil {
		p.kind, p.object = m[1], m[2]
		p.add(p.kind, p.object, strings.Join(p.above, " "))
	}
	if m := function.FindStringSubmatch(text); m != nil {
		p.add("FUNCTION", m[1], strings.Join(p.above, " "))
	}
	p.above = nil
}

func (p *parser) inTable(text string) {
	code, beside, _ := strings.Cut(text, "--")
	fields := strings.Fields(code)
	switch {
	case strings.HasPrefix(text, ")"):
		p.kind, p.above = "", nil
	case len(fields) > 1 && column.MatchString(fields[0]):
		p.beside = append(p.beside, strings.TrimSpace(beside))
		p.column(strings.Trim(fields[0], `"`))
	default:
		p.above = nil
	}
}

func (p *parser) inView(text string) {
	code, beside, _ := strings.Cut(text, "--")
	code = strings.TrimSpace(code)
	if strings.HasPrefix(text, "FROM ") && p.depth == 0 {
		p.endOfColumn()
		p.kind, p.above = "", nil
		return
	}
	if code == "SELECT" || strings.HasPrefix(code, "SELECT DISTINCT ON") {
		p.above = nil
		return
	}
	p.depth += strings.Count(code, "(") - strings.Count(code, ")")
	p.code += " " + code
	if beside = strings.TrimSpace(beside); beside != "" {
		p.beside = append(p.beside, beside)
	}
	if p.depth == 0 && strings.HasSuffix(code, ",") {
		p.endOfColumn()
	}
}

func (p *parser) endOfColumn() {
	if m := word.FindStringSubmatch(strings.TrimSuffix(strings.TrimSpace(p.code), ",")); m != nil {
		p.column(m[1])
	}
	p.code = ""
}

// column adds the comment on a column: what stands above and beside it, or what the file says about columns of its name.
func (p *parser) column(name string) {
	text := strings.TrimSpace(strings.Join(append(p.above, p.beside...), " "))
	if text == "" {
		text = p.meanings[name]
	}
	p.above, p.beside = nil, nil
	p.add("COLUMN", p.object+`."`+name+`"`, text)
}

func (p *parser) add(kind, object, text string) {
	if text != "" {
		p.all = append(p.all, Comment{Kind: kind, Object: object, Text: text})
	}
}
