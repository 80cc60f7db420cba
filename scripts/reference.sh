#!/bin/bash
# Writes docs/reference/*.md from TableGen: a page for each dialect and for each group of passes.
#   scripts/reference.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-docs/reference}
include=$(llvm-config-22 --includedir)
mkdir -p "$folder"

generate() { # GENERATOR SOURCE PAGE [OPTION]...
  mlir-tblgen-22 "-$1" -I . -I "$include" "$2" "${@:4}" | sed -e 's/[[:space:]]*$//' >"$folder/$3"
}

generate gen-dialect-doc dialects/Froe/FroeOps.td froe.md -dialect=froe
generate gen-dialect-doc dialects/Rank/RankOps.td rank.md -dialect=rank
generate gen-pass-doc lib/Transforms/Passes.td transforms.md
generate gen-pass-doc lib/Conversion/Passes.td conversion.md
