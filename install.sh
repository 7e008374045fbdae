#!/bin/sh
# Installs warp from a release: downloads the archive for this machine, verifies its
# checksum before anything is unpacked, and moves the programs into place.
#
#   WARP_PREFIX    where to: programs in PREFIX/bin, man pages and completions in
#                  PREFIX/share (default: ~/.local)
#   WARP_VERSION   the release, such as v1.2.3 (default: the latest)
#   WARP_BASE_URL  the address of the releases: https://HOST/OWNER/REPO/releases
set -eu

releases=''

say() { printf '%s\n' "$*"; }

refuse() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}

# get URL FILE downloads a file, or fails.
get() {
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL --retry 2 -o "$2" "$1"
  elif command -v wget >/dev/null 2>&1; then
    wget -q -O "$2" "$1"
  else
    refuse "neither curl nor wget is installed; install one of them, then run this again"
  fi
}

# sum FILE prints its SHA-256.
sum() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum <"$1"
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 <"$1"
  elif command -v openssl >/dev/null 2>&1; then
    openssl dgst -sha256 -r <"$1"
  else
    refuse "no program computes SHA-256 (sha256sum, shasum or openssl); the archive cannot be verified, so nothing was installed"
  fi | cut -d ' ' -f 1
}

# platform prints OS-ARCH as the archives are named.
platform() {
  case $(uname -s) in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    *) refuse "there is no archive for $(uname -s) that this script can install; on Windows, unpack warp-VERSION-windows-amd64.zip and add its bin folder to PATH" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) printf '%s-amd64\n' "$system" ;;
    aarch64 | arm64) printf '%s-arm64\n' "$system" ;;
    *) refuse "there is no archive for $(uname -m); build warp from its sources: make install" ;;
  esac
}

# place FILE FOLDER moves a program into place at once: a warp that runs keeps its own,
# and no one sees half of it.
place() {
  program=${1##*/}
  fresh=$2/.$program.new.$$
  if cp "$1" "$fresh" && chmod 755 "$fresh" && mv -f "$fresh" "$2/$program"; then return; fi
  rm -f "$fresh"
  refuse "cannot write $2/$program; choose another folder with WARP_PREFIX"
}

# Everything is in a function: of a script that arrives only in part, nothing runs.
main() {
  base=${WARP_BASE_URL:-$releases}
  [ -n "$base" ] || refuse "set WARP_BASE_URL to the address of the releases, such as https://HOST/OWNER/REPO/releases"
  prefix=${WARP_PREFIX:-${HOME:?is not set; set WARP_PREFIX to a folder}/.local}
  case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
  from=${base%/}/latest/download
  [ -z "${WARP_VERSION:-}" ] || from=${base%/}/download/$WARP_VERSION
  platform=$(platform)

  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM HUP

  get "$from/checksums.txt" "$work/checksums.txt" || refuse "cannot download $from/checksums.txt; without checksums nothing is installed (WARP_VERSION names the release)"
  line=$(grep -E "^[0-9a-f]{64}  warp-[^/ ]*-$platform\.tar\.gz\$" "$work/checksums.txt") || refuse "$from/checksums.txt has no checksum of an archive for $platform; nothing was installed"
  [ "$(printf '%s\n' "$line" | wc -l)" -eq 1 ] || refuse "$from/checksums.txt has several archives for $platform; nothing was installed"
  wanted=${line%% *}
  name=${line##* }
  get "$from/$name" "$work/$name" || refuse "cannot download $from/$name; nothing was installed"
  found=$(sum "$work/$name")
  [ "$found" = "$wanted" ] || refuse "the checksum of $name is $found instead of $wanted: it is damaged or was changed; nothing was installed"

  tar -xzf "$work/$name" -C "$work" || refuse "cannot unpack $name; nothing was installed"
  tree=$work/${name%.tar.gz}
  version=$("$tree/bin/warp" version) || refuse "the warp in $name does not run on this machine; nothing was installed"
  mkdir -p "$prefix/bin" "$prefix/share" || refuse "cannot write to $prefix; choose another folder with WARP_PREFIX"
  cp -R "$tree/share/." "$prefix/share/" || refuse "cannot write to $prefix/share; choose another folder with WARP_PREFIX"
  for program in warp-net warp-ui warp-fleet warp-hook warp; do # warp last: what it needs is there already
    place "$tree/bin/$program" "$prefix/bin"
  done

  say "Installed $version (checksum verified)"
  say "  programs                   $prefix/bin: warp, warp-net, warp-ui, warp-fleet, warp-hook"
  say "  man pages and completions  $prefix/share"
  case :$PATH: in
    *:"$prefix/bin":*) ;;
    *) say "" && say "Add it to your PATH:" && say "  export PATH=\"$prefix/bin:\$PATH\"" ;;
  esac
  say "" && say "Next, in your project:" && say "  warp quickstart"
}

main "$@"
