// Package race finds data races by happens-before, for the order that ran.
//
// Two accesses race if they overlap, one of them writes, neither happens before the other, and they are not
// morally strong to each other (PTX ISA 8.7.1). What happens before what follows from barriers, warp barriers,
// mbarriers, cluster barriers and the release and acquire patterns of the memory model (8.8, 8.9.4). Two fence.sc do not
// order each other here: their order is an accident of the schedule, and a program that relies on it alone is
// very rare.
//
// A clock belongs to a warp, not to a thread: it advances when a lane of the warp releases. What a lane knows is
// a number for each lane of each warp (knowledge): accesses up to that time happened before. Lanes that know the
// same share one immutable value, so a barrier costs one join, and a converged warp a pointer.
//
// The shadow keeps, for each 4 bytes, the last write, the last read, and, where those of one thread do not
// replace those of another, a list. It may forget: a race is then missed, never invented.
//
// Asynchronous operations (cp.async, bulk copies, wgmma) are looked at when they are issued: against what other threads have
// done before (issue.go). What is done to their bytes before a wait has told of them the machine reports.
package race
