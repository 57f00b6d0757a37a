#pragma once
// The sessions whose recordings are kept as files: what every later version must still read.

#include "fake_session.hpp"

namespace isotick::replay {

/// Some of everything, but nothing that zstd would shorten: its bytes do not depend on zstd.
FakeSession golden_session();

/// Inputs that zstd shortens.
FakeSession golden_zstd_session();

/// As golden_session, with ticks that have a dt of their own.
FakeSession golden_dt_session();

/// Dts that zstd shortens.
FakeSession golden_dt_zstd_session();

/// The example in FORMAT.md.
FakeSession example_session();

/// The one in FORMAT.md whose ticks have dts of their own.
FakeSession example_dt_session();

}  // namespace isotick::replay
