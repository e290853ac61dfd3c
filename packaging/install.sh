#!/bin/sh
# Installs a release of Tidings for the user who runs it, without root: downloads the archive for this machine, compares its SHA-256, and copies the
# binary, the manual pages and the shell completions below ~/.local. Nothing is installed if a step fails.
#
#   sh install.sh                             into ~/.local
#   TIDINGS_PREFIX=/usr/local sh install.sh   into another folder
#
# The release workflow fills in the next two lines (scripts/package installer).
release_base=''
release_version=''
set -eu

main() {
  base=${TIDINGS_RELEASE_BASE:-$release_base}
  version=${TIDINGS_RELEASE_VERSION:-$release_version}
  prefix=${TIDINGS_PREFIX:-$HOME/.local}
  [ -n "$base" ] && [ -n "$version" ] ||
    fail "This file is not of a release; download install.sh from a release, or set TIDINGS_RELEASE_BASE and TIDINGS_RELEASE_VERSION."
  for program in curl tar; do
    command -v "$program" >/dev/null || fail "$program is missing; install it, then try again."
  done
  name=tidings-$version-$(platform)
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  download "$name.tar.gz"
  download "$name.tar.gz.sha256"
  (cd "$folder" && verify "$name.tar.gz.sha256") ||
    fail "The SHA-256 of $name.tar.gz is not that of the release; nothing was installed. Try again; if it happens again, report it."
  tar -C "$folder" -xzf "$folder/$name.tar.gz"
  install_files "$folder/$name"
  echo "Installed tidings $version in $prefix/bin."
  case ":$PATH:" in
    *":$prefix/bin:"*) ;;
    *) echo "Add it to your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
  esac
}

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

platform() {
  case $(uname -s) in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    *) fail "There is no release for $(uname -s); build Tidings from source, as the README says." ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) echo "$system-x64" ;;
    aarch64 | arm64) echo "$system-arm64" ;;
    *) fail "There is no release for the processor $(uname -m); build Tidings from source, as the README says." ;;
  esac
}

download() {
  curl --fail --silent --show-error --location --output "$folder/$1" "$base/$1" || fail "$base/$1 could not be downloaded."
}

verify() {
  if command -v sha256sum >/dev/null; then
    sha256sum -c "$1" >/dev/null
  else
    shasum -a 256 -c "$1" >/dev/null
  fi
}

# The binary comes last, under another name first: it is there as a whole, or as it was before.
install_files() {
  mkdir -p "$prefix/bin" "$prefix/share/man/man1" "$prefix/share/bash-completion/completions"
  cp "$1"/man/*.1 "$prefix/share/man/man1/"
  cp "$1/completions/tidings.bash" "$prefix/share/bash-completion/completions/tidings"
  cp "$1/tidings" "$prefix/bin/.tidings.new"
  chmod 755 "$prefix/bin/.tidings.new"
  mv -f "$prefix/bin/.tidings.new" "$prefix/bin/tidings"
}

main
