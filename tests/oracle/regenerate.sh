#!/usr/bin/env bash
# Reruns every R script into a temporary folder; fails when a number differs from the committed CSV by more than 1e-12.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
remade="$(mktemp -d)"
trap 'rm -rf "$remade"' EXIT
for script in *.R; do
  echo "$script" >&2
  Rscript --vanilla "$script" "$remade"
done
Rscript --vanilla lib/compare.R "$remade" .
echo "the committed CSVs agree with $(Rscript --vanilla -e 'cat(R.version.string)')" >&2
