#!/bin/bash
# Installs what building and testing Froe needs: Debian packages (pins/apt.txt) and a Python environment in .venv
# (pins/python.txt), with the CUDA assembler (pins/cuda.txt) where no CUDA toolkit is found. Safe to repeat: what is
# already there is left alone.
set -euo pipefail
cd "$(dirname "$0")/.."
pins=scripts/pins

lines() { sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$1"; }

missing_packages() {
  local name
  for name in $(lines $pins/apt.txt); do
    [[ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null || true)" == installed ]] || echo "$name"
  done
}

as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "error: '$*' needs root or sudo" >&2
    exit 1
  fi
}

apt_get() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o Acquire::Retries=3 "$@"; }

install_packages() {
  local missing
  missing=$(missing_packages)
  [[ -n "$missing" ]] || return 0
  command -v apt-get >/dev/null || { echo "error: no apt-get here; install by hand:" $missing >&2; exit 1; }
  echo "installing" $missing
  apt_get update
  # shellcheck disable=SC2086 — one argument a package
  apt_get install -y --no-install-recommends $missing >/dev/null || {
    echo "error: apt-get could not install the packages above; they are Debian 12's" >&2
    exit 1
  }
}

# The system's Python where it is new enough: its venv module comes with the packages above.
python() {
  local candidate
  for candidate in /usr/bin/python3 python3 python3.13 python3.12 python3.11; do
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  echo "error: no Python of version 3.11 or newer with its venv module" >&2
  exit 1
}

install_wheels() {
  cmp -s $pins/python.txt .venv/pins.txt && return 0
  local interpreter
  interpreter=$(python)
  echo "making .venv"
  rm -rf .venv
  "$interpreter" -m venv .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --retries 5 --only-binary :all: --no-deps -r $pins/python.txt
  cp $pins/python.txt .venv/pins.txt # last: an interrupted run starts over
}

# As findCudaToolkit() of lib/Target/CUDA looks for it.
has_cuda() {
  local folder ptxas
  ptxas=$(command -v ptxas || true)
  for folder in "${CUDA_HOME:-}" "${CUDA_PATH:-}" "${CUDA_ROOT:-}" "${ptxas%/bin/ptxas}" /usr/local/cuda; do
    [[ -n "$folder" && -x "$folder/bin/ptxas" && -f "$folder/nvvm/libdevice/libdevice.10.bc" ]] && return 0
  done
  return 1
}

install_cuda_wheels() {
  cmp -s $pins/cuda.txt .venv/cuda.txt && return 0
  has_cuda && return 0
  echo "no CUDA toolkit here: installing its assembler into .venv (120 MB)"
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --retries 5 --only-binary :all: --no-deps -r $pins/cuda.txt
  cp $pins/cuda.txt .venv/cuda.txt
}

install_packages
install_wheels
install_cuda_wheels
