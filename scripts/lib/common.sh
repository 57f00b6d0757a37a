# Shared by the scripts: source it after `set -euo pipefail`. Works from any folder.
# shellcheck shell=bash

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# What building the program takes (Debian 12's names).
program_packages=(
  g++ cmake ninja-build
  libcereal-dev libcli11-dev libdw-dev libexpected-dev libfmt-dev libxxhash-dev
  libzstd-dev libzydis-dev nlohmann-json3-dev
)
# What testing it takes.
build_packages=(
  "${program_packages[@]}" git python3 python3-jsonschema python3-junitparser
  python3-yaml
  libbenchmark-dev libgmock-dev libgtest-dev
)
# The engines that isotick is tried on.
engine_packages=(libbox2d-dev libbullet-dev libchipmunk-dev liblua5.4-dev libode-dev)
# What opens the page of HTML reports.
page_packages=(chromium chromium-driver python3-selenium)
# What runs parts of a verification on many machines.
machines_packages=(parallel slurm-client slurmctld slurmd munge)
# What scripts/fuzz takes: the oldest Clang that compiles the harness, with libFuzzer.
fuzz_packages=(clang-16 libclang-rt-16-dev)
# What builds for Windows and runs it.
windows_packages=(g++-mingw-w64-x86-64-posix googletest wine wine64 xz-utils)
# What only `scripts/test --full` takes: engines, fuzzing, a browser, Slurm, formatting, a plug-in
# in Rust, Windows, uPlot and Kaitai Struct (their npm may be another vendor's, with which Debian's
# does not go).
full_packages=(
  "${engine_packages[@]}" "${fuzz_packages[@]}" "${page_packages[@]}" "${machines_packages[@]}"
  clang-format rustc "${windows_packages[@]}"
)
command -v npm >/dev/null || full_packages+=(npm)
# What scripts/libcxx takes: the oldest libc++ of Debian 12 with the algorithms of std::ranges.
libcxx_packages=(clang-16 libc++-16-dev libc++abi-16-dev googletest)
# What scripts/cross takes: 64-bit ARM, and those two.
cross_packages=(g++-aarch64-linux-gnu qemu-user-static "${libcxx_packages[@]}"
  "${windows_packages[@]}")

# Says what happens, apart from what is produced.
say() { printf '== %s\n' "$*" >&2; }

# Ends the script with a reason.
die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# as_root COMMAND…: as root, with sudo where need be.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# ensure_packages NAME…: installs with apt what is missing. Where that is impossible it lists what
# to install and ends the script with 1.
ensure_packages() {
  local package missing=()
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  [ "${#missing[@]}" -gt 0 ] || return 0
  if ! command -v apt-get >/dev/null; then
    die "there is no apt-get here; install these first (Debian's names):" \
      "${missing[*]}"
  fi
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    die "neither root nor sudo; have these installed: ${missing[*]}"
  fi
  say "installing with apt: ${missing[*]}"
  run_apt update || say "apt-get update failed; going on with the lists that are there"
  run_apt install --no-install-recommends "${missing[@]}" || die "apt-get could not install them"
}

# run_apt update, run_apt install NAME…: asks nothing and waits for another apt.
run_apt() {
  quietly as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
    apt-get -y -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 "$@"
}

# run_npm ARGUMENT…: with the certificates that the system trusts, which Node.js does not of itself.
run_npm() {
  local certificates=/etc/ssl/certs/ca-certificates.crt
  if [ -e "$certificates" ]; then
    export NODE_EXTRA_CA_CERTS=${NODE_EXTRA_CA_CERTS:-$certificates}
  fi
  npm --no-audit --no-fund --ignore-scripts --fetch-retries 1 --fetch-timeout 20000 "$@"
}

# quietly COMMAND…: its output is shown only if it fails.
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 </dev/null || status=$?
  [ "$status" = 0 ] || tail -n 100 "$log" >&2
  rm -f "$log"
  return "$status"
}

# configure PRESET [OPTION…]
configure() {
  say "configuring: cmake --preset $*"
  (cd "$project" && quietly cmake --preset "$@") || die "configuring failed"
}

# build PRESET [TARGET…]: everything where no target is named.
build() {
  local preset=$1
  shift
  say "building: cmake --build --preset $preset $*"
  (cd "$project" && cmake --build --preset "$preset" ${1:+--target "$@"})
}

# build_program: the optimized program alone, in build/release; quiet unless it fails.
build_program() {
  configure release -DISOTICK_BUILD_TESTS=OFF -DISOTICK_BUILD_BENCHMARKS=OFF
  quietly build release isotick || die "building failed"
}

# build_release [TARGET…]: the optimized build in build/release; quiet unless it fails.
build_release() {
  configure release
  quietly build release "$@" || die "building failed"
}
