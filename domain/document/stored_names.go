package document

// fewNames is up to how many names are compared one by one.
const fewNames = 16

// nameSet is the names of the members of one object so far. Few are the end of a list that all objects share.
type nameSet struct {
	begin int
	many  map[string]struct{}
}

func (s *storedScanner) names() nameSet { return nameSet{begin: len(s.seen)} }

// forget ends an object.
func (s *storedScanner) forget(n nameSet) { s.seen = s.seen[:n.begin] }

// name reads the name of a member, with the colon after it. A name that the object had before is wrong.
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
		s.wrong = s.wrong || len(n.many) == before
		return name
	}
	for _, earlier := range s.seen[n.begin:] {
		s.wrong = s.wrong || earlier == name
	}
	s.seen = append(s.seen, name)
	return name
}
