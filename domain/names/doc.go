// Package names holds the facts and rules of the first naming system of Stacks, BNS v1: the boot contract named bns.
// Names and namespaces, what the contract prints, what names cost, how long they last, and the zonefiles whose TXT
// records define subdomains.
//
// Sources: the contract itself (bns.clar, deployed in the genesis block), and RFC 1035 for zonefiles.
package names
