#pragma once

namespace isotick::engines::lua {

/// The text of cluster.lua, so that the plug-in is one file.
extern const char* const kScript;

}  // namespace isotick::engines::lua
