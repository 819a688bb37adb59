#!/usr/bin/env bash
# A wrong option or a damaged data file gets one clear line on stderr and exit code 2.
#
# usage: errors.sh FASHION_MNIST
set -uo pipefail
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# refuses WORD ARGUMENT...: exit code 2 and one line that contains the word.
refuses() {
  local word=$1 code
  shift
  (cd "$work" && "$program" "$@" >out 2>err)
  code=$?
  if [ "$code" != 2 ] || [ "$(wc -l <"$work/err")" != 1 ] || ! grep -qF -- "$word" "$work/err"; then
    echo "$(basename "$program") $*: exit code $code (wanted 2), stderr (wanted one line with '$word'):"
    cat "$work/err"
    failed=1
  fi
}

refuses --nonsense --nonsense
refuses --epochs --epochs
refuses --epochs --epochs many
refuses --epochs --epochs -1
refuses --batch --batch 0
refuses --lr --lr nan
refuses --threads --threads 0
refuses nowhere --device nowhere
refuses missing --data "$work/missing"

# A data set whose image file ends in the middle, and one whose header lies.
names=(train-images-idx3-ubyte train-labels-idx1-ubyte t10k-images-idx3-ubyte t10k-labels-idx1-ubyte)
data=/usr/share/datasets/fashion-mnist
for name in "${names[@]}"; do
  cp "$data/$name.gz" "$work/" 2>/dev/null || { echo "no data set in $data: tools/dependencies sample"; exit 1; }
done
head -c 100000 "$data/train-images-idx3-ubyte.gz" >"$work/train-images-idx3-ubyte.gz"
refuses train-images --data "$work"
cp "$data/train-images-idx3-ubyte.gz" "$work/"
printf '\0\0\x08\x01\x7f\xff\xff\xffxxxx' | gzip >"$work/train-labels-idx1-ubyte.gz"
refuses train-labels --data "$work"
# No IDX file at all, labels of the other part, a class that does not exist, a folder where a file belongs.
echo "these are no labels" >"$work/train-labels-idx1-ubyte.gz"
refuses train-labels --data "$work"
cp "$data/t10k-labels-idx1-ubyte.gz" "$work/train-labels-idx1-ubyte.gz"
refuses 10000 --data "$work"
{ printf '\0\0\x08\x01\0\0\xea\x60' && head -c 60000 /dev/zero | tr '\0' '\13'; } >"$work/train-labels-idx1-ubyte"
refuses "label 11" --data "$work"
rm "$work/train-labels-idx1-ubyte"
echo "these are no labels" >"$work/train-labels-idx1-ubyte.gz"
mkdir "$work/train-labels-idx1-ubyte"
refuses train-labels --data "$work"
rmdir "$work/train-labels-idx1-ubyte"
refuses "$program" --out "$program"
exit "$failed"
