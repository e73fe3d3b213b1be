# Sourced by the other scripts: finds the repository, Rust and Debian packages.
# shellcheck shell=bash
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }
die() {
    say "$(basename "$0"): $*"
    exit 2
}

# Puts cargo on the path and checks that it is new enough for this repository.
need_rust() {
    command -v cargo >/dev/null || PATH="$PATH:${CARGO_HOME:-${HOME:-}/.cargo}/bin"
    command -v cargo >/dev/null || die "Rust is missing; https://rustup.rs installs it"
    local least found
    least=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$root/Cargo.toml")
    found=$(cd "$root" && rustc --version | cut -d ' ' -f 2)
    [ "$(printf '%s\n%s\n' "$least" "$found" | sort -V | head -n 1)" = "$least" ] ||
        die "Rust $found is too old, $least or newer is needed; \`rustup update\` brings it"
}

# Adds to `missing` what the C linker that rustc calls needs.
missing=()
want_linker() {
    command -v cc >/dev/null || want gcc libc6-dev
}

# Adds to `missing` those of the packages that are not installed.
want() {
    local package
    for package in "$@"; do
        case $(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || true) in
        ?i*) ;;
        *) missing+=("$package") ;;
        esac
    done
}

# Installs `missing`, or says how. Nothing is asked of the network if nothing is missing.
install_missing() {
    [ ${#missing[@]} -gt 0 ] || return 0
    if ! command -v apt-get >/dev/null; then
        say "this is no Debian system: what Debian calls ${missing[*]} has to be there"
        return 0
    fi
    local as=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! { command -v sudo && sudo -n true; } >/dev/null 2>&1; then
            die "packages are missing; install them with
    sudo apt-get update && sudo apt-get install --no-install-recommends ${missing[*]}"
        fi
        as=(sudo -n)
    fi
    say "installing ${missing[*]}"
    as+=(env DEBIAN_FRONTEND=noninteractive apt-get)
    local quiet=(-qq -o Dpkg::Use-Pty=0)
    # A source that does not answer matters only if the packages come from it.
    "${as[@]}" "${quiet[@]}" update >/dev/null || say "apt-get update failed, trying on"
    "${as[@]}" "${quiet[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null
}

# Prints the folder that cargo builds into.
target_folder() {
    (cd "$root" && cargo metadata --format-version 1 --no-deps --offline) |
        sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p'
}
