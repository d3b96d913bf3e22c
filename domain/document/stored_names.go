package document

// fewNames is the number of names up to which a linear search is used.
const fewNames = 16

// nameSet has the names of the members of one object so far. Up to fewNames names are in storedScanner.seen, from begin
// on, so that small objects need no memory of their own. The names of larger objects are in many.
type nameSet struct {
	begin int
	many  map[string]struct{}
}

func (s *storedScanner) enterObject() nameSet { return nameSet{begin: len(s.seen)} }

func (s *storedScanner) leaveObject(n nameSet) { s.seen = s.seen[:n.begin] }

// name reads the name of a member and the colon after it. A repeated name is invalid.
func (s *storedScanner) name(n *nameSet) string {
	name := s.quoted()
	s.want(`:`)
	if n.many == nil && len(s.seen)-n.begin == fewNames {
		n.many = make(map[string]struct{}, 2*fewNames)
		for _, earlier := range s.seen[n.begin:] {
			n.many[earlier] = struct{}{}
		}
	}
	if n.many != nil {
		before := len(n.many)
		n.many[name] = struct{}{}
		s.invalid = s.invalid || len(n.many) == before
		return name
	}
	for _, earlier := range s.seen[n.begin:] {
		s.invalid = s.invalid || earlier == name
	}
	s.seen = append(s.seen, name)
	return name
}
