// Package synthstaking simulates the contract pox-5: what it prints, and what every staker has earned.
//
// The simulation holds the shares of each staker in each cycle one by one, as the contract does, and rounds each reward
// on its own. It shares no code with the projection that is tested against it.
package synthstaking
