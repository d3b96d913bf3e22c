// Package mutate measures what tests notice: it changes a package in many small ways, and runs the tests on each of them.
//
// All mutants of the packages are in one build, which sees rewritten files in place of those in the tree. Each change is
// behind a number, and a process is the mutant whose number is in its environment. So a mutant costs a run, no build.
package mutate

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Mutant is one change of one expression or statement.
type Mutant struct {
	Number   int    // from 1, over all packages
	Place    string // file:line, from the root of the module
	Function string // package and function, such as "chain.(*Chain).flush"
	Operator string
	Source   string // what is changed, in one line
}

// Key names a mutant in the file of reasons. It survives changes elsewhere, and mutants that look the same share it.
func (m Mutant) Key() string { return m.Function + " | " + m.Operator + " | " + m.Source }

// runtime is a file of each rewritten package. The map of what was reached outlives the process, however that ends.
const runtime = `package %s

import (
	zmcmp "cmp"
	zmos "os"
	zmstrconv "strconv"
	zmsyscall "syscall"
)

var zmMutant, zmReached = func() (int, []byte) {
	mutant, _ := zmstrconv.Atoi(zmos.Getenv("MUTANT"))
	file, err := zmos.OpenFile(zmos.Getenv("MUTANTS_REACHED"), zmos.O_RDWR, 0)
	if err != nil {
		return mutant, nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		panic(err)
	}
	reached, err := zmsyscall.Mmap(int(file.Fd()), 0, int(info.Size()), zmsyscall.PROT_READ|zmsyscall.PROT_WRITE, zmsyscall.MAP_SHARED)
	if err != nil {
		panic(err)
	}
	return mutant, reached
}()

type zmNumber interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

func zmIs(n int) bool {
	if zmReached != nil {
		zmReached[n] = 1
	}
	return n == zmMutant
}
func zmNot(n int, b bool) bool                          { return b != zmIs(n) }
func zmAnd(n int, a bool, b func() bool) bool           { if zmIs(n) { return a || b() }; return a && b() }
func zmOr(n int, a bool, b func() bool) bool            { if zmIs(n) { return a && b() }; return a || b() }
func zmLess[T zmcmp.Ordered](n int, a, b T) bool        { if zmIs(n) { return a <= b }; return a < b }
func zmLessEqual[T zmcmp.Ordered](n int, a, b T) bool   { if zmIs(n) { return a < b }; return a <= b }
func zmMore[T zmcmp.Ordered](n int, a, b T) bool        { if zmIs(n) { return a >= b }; return a > b }
func zmMoreEqual[T zmcmp.Ordered](n int, a, b T) bool   { if zmIs(n) { return a > b }; return a >= b }
func zmPlus[T zmNumber](n int, a, b T) T                { if zmIs(n) { return a - b }; return a + b }
func zmMinus[T zmNumber](n int, a, b T) T               { if zmIs(n) { return a + b }; return a - b }
func zmTimes[T zmNumber](n int, a, b T) T               { if zmIs(n) { return a / b }; return a * b }
func zmNegative[T zmNumber](n int, a T) T               { if zmIs(n) { return -a }; return a }
func zmUp[T zmNumber](n int, a T) T                     { if zmIs(n) { return a + 1 }; return a }
func zmDown[T zmNumber](n int, a T) T                   { if zmIs(n) { return a - 1 }; return a }
func zmError(n int, err error) error                    { if zmIs(n) { return nil }; return err }
func zmZero[T any](n int, a T) T                        { if zmIs(n) { var zero T; return zero }; return a }
`

// binary says which function stands for an operator, and what the mutation is called.
var binary = map[token.Token][2]string{
	token.LSS: {"zmLess", "< to <="}, token.LEQ: {"zmLessEqual", "<= to <"}, token.GTR: {"zmMore", "> to >="}, token.GEQ: {"zmMoreEqual", ">= to >"},
	token.ADD: {"zmPlus", "+ to -"}, token.SUB: {"zmMinus", "- to +"}, token.MUL: {"zmTimes", "* to /"},
	token.LAND: {"zmAnd", "&& to ||"}, token.LOR: {"zmOr", "|| to &&"},
}

// edit replaces a part of a file. No edit adds a line.
type edit struct {
	from, to int
	text     string
	side     int // -1 ends a node, 1 begins one, 0 is an operator
	other    int // where the node begins that ends here, and the reverse
	order    int // of edits at one node: the outer one ends last
}

// rewriter collects the mutants of a file.
type rewriter struct {
	set      *token.FileSet
	info     *types.Info
	pkg      *types.Package
	source   []byte
	file     *ast.File
	root     string
	mutants  *[]Mutant
	edits    []edit
	function string
	results  *types.Tuple // of the innermost function
}

func (r *rewriter) offset(pos token.Pos) int { return r.set.Position(pos).Offset }

// mutant adds a mutant, and returns its number.
func (r *rewriter) mutant(node ast.Node, operator string) int {
	at := r.set.Position(node.Pos())
	source := strings.Join(strings.Fields(string(r.source[r.offset(node.Pos()):r.offset(node.End())])), " ")
	m := Mutant{Number: len(*r.mutants) + 1, Function: r.function, Operator: operator, Source: source}
	m.Place = fmt.Sprintf("%s:%d", strings.TrimPrefix(at.Filename, r.root+"/"), at.Line)
	*r.mutants = append(*r.mutants, m)
	return m.Number
}

// wrap puts text around a node. Of two at one node, the first is the outer one.
func (r *rewriter) wrap(node ast.Node, before, after string) {
	from, to, order := r.offset(node.Pos()), r.offset(node.End()), len(r.edits)+1
	r.edits = append(r.edits, edit{from, from, before, 1, to, order}, edit{to, to, after, -1, from, -order})
}

func (r *rewriter) call(node ast.Node, operator, function string) {
	r.wrap(node, fmt.Sprintf("%s(%d, ", function, r.mutant(node, operator)), ")")
}

// typeName returns how the file names a type, and "" if it can't.
func (r *rewriter) typeName(t types.Type) string {
	can := true
	name := types.TypeString(t, func(p *types.Package) string {
		can = can && p == r.pkg
		return ""
	})
	if !can {
		return ""
	}
	return name
}

func basic(t types.Type, kinds types.BasicInfo) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok || t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&kinds != 0
}

// quiet reports whether a call only says something: logs, metrics, the texts of errors.
func (r *rewriter) quiet(call *ast.CallExpr) bool {
	var id *ast.Ident
	switch f := call.Fun.(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return false
	}
	if id.Name == "panic" {
		return true
	}
	object := r.info.Uses[id]
	if object == nil || object.Pkg() == nil {
		return false
	}
	path := object.Pkg().Path()
	return path == "log/slog" || path == "errors" && id.Name == "New" || path == "fmt" && id.Name == "Errorf" ||
		strings.Contains(path, "prometheus") || strings.Contains(path, "opentelemetry") || strings.HasSuffix(path, "/instrument") || strings.HasSuffix(path, "/tracing")
}

// allQuiet reports whether statements only say something.
func (r *rewriter) allQuiet(list []ast.Stmt) bool {
	return !slices.ContainsFunc(list, func(s ast.Stmt) bool {
		e, ok := s.(*ast.ExprStmt)
		if !ok {
			return true
		}
		call, ok := e.X.(*ast.CallExpr)
		return !ok || !r.quiet(call)
	})
}

// expression mutates an expression and what is in it.
func (r *rewriter) expression(e ast.Expr) bool {
	known := r.info.Types[e]
	if known.IsType() {
		return false
	}
	if known.Value != nil { // a constant counts as one, unless it has only names in it
		literal := false
		ast.Inspect(e, func(n ast.Node) bool { _, is := n.(*ast.BasicLit); literal = literal || is; return true })
		if name := r.typeName(known.Type); literal && basic(known.Type, types.IsInteger) && name != "" && !strings.HasPrefix(name, "untyped") {
			r.call(e, "constant + 1", "zmUp["+name+"]")
			r.call(e, "constant - 1", "zmDown["+name+"]")
		}
		return false
	}
	switch e := e.(type) {
	case *ast.CallExpr:
		if id, ok := e.Fun.(*ast.Ident); ok && (id.Name == "make" || id.Name == "new") {
			return false
		}
		return !r.quiet(e)
	case *ast.BinaryExpr:
		kind, mutable := binary[e.Op]
		operand, isBool := r.info.Types[e.X].Type, basic(known.Type, types.IsBoolean) && types.Default(known.Type) == types.Typ[types.Bool]
		switch e.Op {
		case token.EQL, token.NEQ:
			mutable = false
		case token.ADD, token.SUB, token.MUL:
			mutable = basic(known.Type, types.IsNumeric) && r.info.Types[e.X].Type == r.info.Types[e.Y].Type
		case token.LAND, token.LOR:
			mutable = isBool && basic(operand, types.IsBoolean)
		default:
			mutable = mutable && isBool && basic(operand, types.IsOrdered)
		}
		if isBool && e.Op != token.LAND && e.Op != token.LOR {
			r.call(e, "negate", "zmNot")
		}
		if !mutable {
			break
		}
		between := ","
		if e.Op == token.LAND || e.Op == token.LOR {
			between = ", func() bool { return ("
			r.wrap(e, fmt.Sprintf("%s(%d, ", kind[0], r.mutant(e, kind[1])), ")})")
		} else {
			r.call(e, kind[1], kind[0])
		}
		r.edits = append(r.edits, edit{r.offset(e.OpPos), r.offset(e.OpPos) + len(e.Op.String()), between, 0, 0, 0})
	}
	return true
}

// condition negates what a condition is made of. Comparisons are negated wherever they are.
func (r *rewriter) condition(e ast.Expr) {
	if e == nil {
		return
	}
	switch inner := e.(type) {
	case *ast.ParenExpr:
		r.condition(inner.X)
	case *ast.BinaryExpr:
		if inner.Op == token.LAND || inner.Op == token.LOR {
			r.condition(inner.X)
			r.condition(inner.Y)
		}
	case *ast.UnaryExpr, *ast.CallExpr, *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		if t := r.info.Types[e]; t.Value == nil && t.Type != nil && types.Default(t.Type) == types.Typ[types.Bool] {
			r.call(e, "negate", "zmNot")
		}
	}
}

// statements removes statements of a list.
func (r *rewriter) statements(list []ast.Stmt) {
	for _, s := range list {
		removable := false
		switch s := s.(type) {
		case *ast.ExprStmt:
			call, ok := s.X.(*ast.CallExpr)
			removable = ok && !r.quiet(call)
		case *ast.AssignStmt:
			id, ok := s.Lhs[0].(*ast.Ident)
			removable = s.Tok != token.DEFINE && (!ok || id.Name != "_" || len(s.Lhs) > 1)
		case *ast.DeferStmt:
			removable = !r.quiet(s.Call)
		case *ast.GoStmt, *ast.SendStmt:
			removable = true
		}
		if removable {
			r.wrap(s, fmt.Sprintf("if !zmIs(%d) { ", r.mutant(s, "remove")), " }")
		}
	}
}

// returns mutates results: errors to nil, strings, numbers, slices and maps to zero.
func (r *rewriter) returns(s *ast.ReturnStmt) {
	if r.results == nil || len(s.Results) != r.results.Len() {
		return
	}
	for i, e := range s.Results {
		t, result := r.info.Types[e], r.results.At(i).Type()
		if t.IsNil() || t.Value != nil || t.Type == nil {
			continue
		}
		_, slice := t.Type.Underlying().(*types.Slice)
		_, table := t.Type.Underlying().(*types.Map)
		switch {
		case result.String() == "error":
			r.call(e, "return nil", "zmError")
		case types.Identical(result, types.Typ[types.Bool]):
			r.condition(e)
		case slice || table || basic(t.Type, types.IsNumeric|types.IsString):
			r.call(e, "return zero", "zmZero")
		}
	}
}

// fails reports whether the last of results is an error, and not nil.
func fails(info *types.Info, results []ast.Expr) bool {
	last := info.Types[results[len(results)-1]]
	return !last.IsNil() && last.Type != nil && types.Implements(last.Type, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
}

// visit mutates what is in functions.
func (r *rewriter) visit(root ast.Node, results *types.Tuple) {
	endless := map[ast.Node]bool{} // continue statements that can't become break: the compiler wants loops that never end
	fixed := map[ast.Node]bool{}   // expressions that stay constants, and what decides only whether something is said
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil || fixed[n] {
			return false
		}
		r.results = results
		switch n := n.(type) {
		case *ast.FuncLit:
			if n != root {
				r.visit(n.Body, r.info.Types[n].Type.(*types.Signature).Results())
				return false
			}
		case *ast.BlockStmt:
			r.statements(n.List)
		case *ast.CaseClause:
			for _, e := range n.List {
				fixed[e] = r.info.Types[e].Value != nil || r.info.Types[e].IsType()
				r.condition(e)
			}
			r.statements(n.Body)
		case *ast.CommClause:
			r.statements(n.Body)
		case *ast.IfStmt:
			if fixed[n.Cond] = n.Else == nil && r.allQuiet(n.Body.List); !fixed[n.Cond] {
				r.condition(n.Cond)
			}
		case *ast.ForStmt:
			r.condition(n.Cond)
			ast.Inspect(n.Body, func(inner ast.Node) bool { endless[inner] = n.Cond == nil; return true })
		case *ast.RangeStmt:
			ast.Inspect(n.Body, func(inner ast.Node) bool { endless[inner] = false; return true })
		case *ast.BranchStmt:
			if n.Tok == token.CONTINUE && n.Label == nil && !endless[n] {
				r.wrap(n, fmt.Sprintf("if zmIs(%d) { break }; ", r.mutant(n, "continue to break")), "")
			}
		case *ast.KeyValueExpr:
			fixed[n.Key] = r.info.Types[n.Key].Value != nil
		case *ast.IncDecStmt:
			name := r.typeName(r.info.Types[n.X].Type)
			if t := r.info.Types[n.X].Type; name != "" && basic(t, types.IsNumeric) {
				at := r.offset(n.TokPos)
				text := fmt.Sprintf(" %s= zmNegative[%s](%d, 1)", n.Tok.String()[:1], name, r.mutant(n, n.Tok.String()+" reversed"))
				r.edits = append(r.edits, edit{at, at + 2, text, 0, 0, 0})
			}
		case *ast.AssignStmt:
			if name := r.typeName(r.info.Types[n.Lhs[0]].Type); (n.Tok == token.ADD_ASSIGN || n.Tok == token.SUB_ASSIGN) &&
				basic(r.info.Types[n.Lhs[0]].Type, types.IsNumeric) && name != "" {
				r.call(n.Rhs[0], n.Tok.String()+" reversed", "zmNegative["+name+"]")
			}
		case *ast.DeclStmt:
			if d, ok := n.Decl.(*ast.GenDecl); ok && d.Tok != token.VAR {
				return false
			}
		case *ast.ReturnStmt:
			r.returns(n)
			for _, e := range n.Results { // nobody reads a constant beside an error
				fixed[e] = fails(r.info, n.Results) && r.info.Types[e].Value != nil
			}
		case ast.Expr:
			return r.expression(n)
		}
		return true
	})
}

// rewrite returns the file with all mutants in it.
func (r *rewriter) rewrite() []byte {
	for _, d := range r.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || f.Name.Name == "String" || f.Name.Name == "Error" {
			continue
		}
		r.function = r.pkg.Name() + "." + f.Name.Name
		if f.Recv != nil {
			r.function = r.pkg.Name() + ".(" + types.ExprString(f.Recv.List[0].Type) + ")." + f.Name.Name
		}
		r.visit(f.Body, r.info.Defs[f.Name].Type().(*types.Signature).Results())
	}
	// What ends comes before what begins at the same place; outer calls begin first and end last.
	slices.SortStableFunc(r.edits, func(a, b edit) int { return cmp.Or(a.from-b.from, a.side-b.side, b.other-a.other, a.order-b.order) })
	var out []byte
	at := 0
	for _, e := range r.edits {
		out = append(append(out, r.source[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, r.source[at:]...)
}
