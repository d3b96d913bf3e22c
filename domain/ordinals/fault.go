package ordinals

import (
	"fmt"
	"strings"

	"strata/domain/internal/jsoncursor"
	"strata/domain/lossy"
)

// Fault is a part of a payload that can't be read: an operation or, if an operation can't be told apart or has no place without
// it, what is around it. The payload holds everything else.
type Fault struct { //nolint:errname // it is a finding about data, which is listed; nobody returns it
	// FieldError says which member is wrong. Its JSON pointer begins with that of the part.
	*jsoncursor.FieldError
	// Subjects are what the part is about, as far as that can be read: see [SatSubject] and its like. Nil for nothing.
	Subjects []string
}

// Unwrap returns the FieldError.
func (f Fault) Unwrap() error { return f.FieldError }

const (
	// faultsMost bounds the faults of a payload. They take more memory than the parts of the body that they are about.
	faultsMost = 1000
	// subjectsMost bounds the subjects of a fault.
	subjectsMost = 1000
)

// SatSubject names a sat as the subject of a fault.
func SatSubject(s Sat) string { return "sat:" + s.String() }

// InscriptionSubject names an inscription as the subject of a fault.
func InscriptionSubject(id InscriptionID) string { return "inscription:" + string(id) }

// SatpointSubject names what was at a satpoint as the subject of a fault.
func SatpointSubject(p Satpoint) string { return "satpoint:" + p.String() }

// TokenSubject names a BRC-20 token, by its ticker in lower case, as the subject of a fault.
func TokenSubject(ticker string) string { return "brc20:" + Bounded(ticker) }

// part calls read, which has to read exactly one value, and reports whether that worked. Otherwise the value is a fault. subjects
// reads the same value again to find what it is about; nil for a value that is about nothing in particular.
func (c *cursor) part(read func(), subjects func(*subjectReader)) bool {
	text, err := c.Part(read)
	if err != nil {
		c.fault(err, func() []string { return readSubjects(text, subjects) })
	}
	return err == nil && !c.Failed()
}

func (c *cursor) fault(err *jsoncursor.FieldError, subjects func() []string) {
	if len(c.faults) < faultsMost {
		c.faults = append(c.faults, Fault{err, subjects()})
	} else {
		c.moreFaults++
	}
}

// needPart makes a fault of a member of the object read last that is not present.
func (c *cursor) needPart(present bool, member, want string) {
	if !present && !c.Failed() {
		c.fault(&jsoncursor.FieldError{Path: c.Pointer() + "/" + member, Want: want, Got: "nothing"}, func() []string { return nil })
	}
}

// allFaults returns the faults, the last of which says how many others there are beyond the bound.
func (c *cursor) allFaults() []Fault {
	if c.moreFaults == 0 {
		return c.faults
	}
	return append(c.faults, Fault{FieldError: &jsoncursor.FieldError{
		Want: fmt.Sprintf("at most %d parts that can't be read", faultsMost), Got: fmt.Sprintf("%d more", c.moreFaults),
	}})
}

// subjectReader reads what a part is about, from members of any kind of operation. It ignores those that it can't read.
type subjectReader struct {
	cursor
	subjects []string
}

func readSubjects(text []byte, read func(*subjectReader)) []string {
	if read == nil {
		return nil
	}
	r := &subjectReader{}
	r.Start(text, lossy.String)
	r.try(func() { read(r) })
	return r.subjects
}

// try reads a value, or skips it if it can't be read.
func (r *subjectReader) try(read func()) { _, _ = r.Part(read) }

func (r *subjectReader) add(subject string) {
	if len(r.subjects) < subjectsMost {
		r.subjects = append(r.subjects, subject)
	}
}

// transaction reads the operations of a transaction.
func (r *subjectReader) transaction() {
	r.Object(func(name []byte) {
		if string(name) != "metadata" {
			r.Skip()
			return
		}
		r.try(r.metadata)
	})
}

func (r *subjectReader) metadata() {
	r.Object(func(name []byte) {
		switch string(name) {
		case "ordinal_operations":
			r.try(func() { r.Array(func() { r.try(r.operation) }) })
		case "brc20_operation":
			r.try(r.operation)
		default:
			r.Skip()
		}
	})
}

// operation reads an object whose members are named after kinds of operations, known or not.
func (r *subjectReader) operation() {
	r.Object(func([]byte) { r.try(r.members) })
}

func (r *subjectReader) members() {
	r.Object(func(name []byte) {
		member := string(name)
		r.try(func() {
			switch member {
			case "inscription_id":
				var id InscriptionID
				if r.inscriptionID(&id) {
					r.add(InscriptionSubject(id))
				}
			case "ordinal_number":
				var s Sat
				if r.sat(&s) {
					r.add(SatSubject(s))
				}
			case "satpoint_pre_transfer":
				var p Satpoint
				if r.satpoint(&p) {
					r.add(SatpointSubject(p))
				}
			case "tick":
				var tick string
				if r.Name(&tick) {
					r.add(TokenSubject(strings.ToLower(tick)))
				}
			default:
				r.Skip()
			}
		})
	})
}
