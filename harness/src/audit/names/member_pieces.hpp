#pragma once
// Unseen memory in pieces that mean something.

#include "member_names.hpp"

#include <isotick/harness/detail/worker/probe_facts.hpp>

namespace isotick::harness {

/// Fills in the pieces of a type: its unseen ranges split at the borders of members where these
/// are known, else (and without `names`) at multiples of eight bytes, as pointers and most members
/// lie.
void split_into_pieces(TypeMemory& type, MemberNames* names);

}  // namespace isotick::harness
