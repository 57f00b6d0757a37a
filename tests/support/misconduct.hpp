#pragma once
// What a simulation must not do to its process, and to the processes around it.

#include <string>

namespace isotick::tests {

/// Does what each of the names says, which a `+` separates, one after the other:
///
///   abort, segfault, stack, kill, signal   ends with a signal (`signal`: the one of number `with`)
///   exit, quick-exit                       ends with exit code 0: exit, _exit
///   throw, throw-int                       throws
///   double-free, corrupt-heap              frees a block twice; writes before one, and frees it
///   hang, wait, stop                       never returns: computes, sleeps, stops itself
///   memory, shared-memory, files           eats memory: of its own, shared, in nameless files
///   close-all                              closes all descriptors
///   truncate                               cuts the files at descriptors 3 to 63
///   grow                                   grows them to an exabyte
///   page                                   fills the memory that it shares with isotick with the
///                                          number `with`, or with bytes of the seed `seed:NUMBER`
///   kill-parent, stop-parent               sends SIGKILL or SIGSTOP to its parent
///   daemons                                leaves 72 processes, by setsid and a second fork
///   child, thread                          leaves a process, a thread
///   say                                    prints a line
///
/// Anything else: nothing.
void misbehave(const std::string& names, const std::string& with);

}  // namespace isotick::tests
