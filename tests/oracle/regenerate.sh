#!/usr/bin/env bash
# Reruns every R script into a temporary folder; fails when a number differs from the committed CSV by more than 1e-12.
# A script whose R package is not installed is skipped, and named at the end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
remade="$(mktemp -d)"
trap 'rm -rf "$remade"' EXIT
skipped=()
for script in *.R; do
  echo "$script" >&2
  if ! Rscript --vanilla "$script" "$remade" 2> "$remade/errors"; then
    cat "$remade/errors" >&2
    missing="$(sed -n 's/.*there is no package called .\([A-Za-z0-9.]*\).*/\1/p' "$remade/errors")"
    [ -n "$missing" ] || exit 1
    skipped+=("$script ($missing)")
  fi
done
Rscript --vanilla lib/compare.R "$remade" . "${#skipped[@]}"
echo "the committed CSVs agree with $(Rscript --vanilla -e 'cat(R.version.string)')" >&2
[ ${#skipped[@]} -eq 0 ] || printf 'not checked, as a package is missing: %s\n' "${skipped[@]}" >&2
