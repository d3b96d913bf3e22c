package shard

// Names names the first naming system's lists: of names, of namespaces, and of what addresses own.
const Names = "names"

// Name names a name of the first naming system, with its subdomains and zonefiles; the text is that of the name with
// its namespace.
func Name(name string) string { return "name:" + name }

// Namespace names a namespace of the first naming system.
func Namespace(namespace string) string { return "namespace:" + namespace }

// Zonefiles names all zonefiles of the first naming system: one may belong to any number of names.
const Zonefiles = "zonefiles"
