#!/usr/bin/env bash
# Typesets every kind of LaTeX table that the program prints, as docs/src/studies.md says, and reads the pages back: nothing may be an
# error, stick out of the page or lose a character. Run by root on Debian, it installs pdflatex; otherwise, where that is
# not there, it says what it skips and succeeds. Usage: tests/latex/run.sh [PROGRAM] [DIRECTORY FOR THE PAGES].
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/programs.sh
program=$(realpath "${1:-target/release/meshreplay}")
pages=$(realpath -m "${2:-target/latex}")
tiny=$PWD/traces/tiny.swf

there() {
    all_there pdflatex pdftotext kpsewhich && kpsewhich booktabs.sty >/dev/null && kpsewhich lmodern.sty >/dev/null
}

need "pdflatex with booktabs" texlive-latex-base texlive-latex-recommended lmodern poppler-utils

rm -rf "$pages"
mkdir -p "$pages"
cd "$pages"

# Names that hold whatever LaTeX takes for something else.
odd='odd_%&#$~^{}[x] <b>|c--d\e'
cp "$tiny" "$odd.swf"
cp "$tiny" '[first]*.swf'
cp "$tiny" tiny.swf
best='best-of:mm|granular-mbs'
"$program" replay ./*.swf --machine 4x4 2x4x2 --allocator naive "$best" hilbert+bf --no-timing -q -o odd >/dev/null
cat >study.toml <<'STUDY'
logs = ["tiny.swf"]
machines = ["4x4", "2x4x2"]
schedulers = ["fcfs", "easy"]
allocators = ["hilbert+bf", "mc1x1", "random"]
arrival_scales = [1, 0.6]
replications = 3
STUDY
"$program" sweep study.toml -o study --no-timing -q >/dev/null

"$program" table odd --format latex >table-odd.tex
"$program" table odd --rows log,allocator --columns machine --value utilization --best none --format latex >table-rows.tex
"$program" table study --columns machine --relative-to mc1x1 --format latex >table-readme.tex
"$program" table study --rows scheduler,allocator --columns machine,arrival_scale --format latex >table-seeds.tex
"$program" table study --columns arrival_scale,machine --best rows --format latex >table-spans.tex
"$program" table study --rows allocator,arrival_scale --columns scheduler,log --value wait_s_mean --decimals 3 \
    --best highest --format latex >table-columns.tex
# Long names of logs, machines and allocators.
mkdir logs
cp "$tiny" logs/a-site-with-a-long-name-and-many-parts-2019-1.swf
"$program" replay logs/a-site-with-a-long-name-and-many-parts-2019-1.swf synthetic:jobs=300,ratio=0.5 -m torus:16x16x16 16x16 \
    -s easy conservative -a naive granular-mbs paging:size=1,order=shuffled-snake "best-of:mm|granular-mbs|hilbert+bf" \
    first-fit:turn=yes rfold-reconfig worst-fit --arrival-scale 1 0.8 --no-timing -q -o long >/dev/null
for width in 60 84 174; do
    for results in odd study long; do
        "$program" table $results --layout dispersal --size ${width}mm --format latex >layout-$results-$width.tex
    done
done
for table in layout-*.tex; do
    cp "$table" "plain-$table"
done
"$program" replay ./*.swf --machine 4x4 --allocator naive "$best" --no-timing -q --format latex >replay-odd.tex
"$program" replay tiny.swf --machine 4x4 --allocator naive mc1x1 -q --format latex >replay-times.tex
"$program" replay synthetic:ratio=1.5,jobs=200 --machine 8x8 --allocator gabl first-fit --replications 3 \
    --network wormhole:pattern=ring --contention --no-timing -q --format latex >replay-network.tex
"$program" reproduce chang-mohapatra1998 fig1 -q --format latex >reproduce-chang.tex
"$program" reproduce diessel1996 fig3 -q --format latex >reproduce-diessel.tex
"$program" reproduce qna2013 fig1 -q --format latex >reproduce-qna.tex

# An article takes the main table with booktabs alone; the others are on paper that is wide enough for them, in a
# font that has every character as such, so that it can be read back.
for table in *.tex; do
    width=${table##*-}
    width=${width%.tex}
    {
        printf '%s\n' '\documentclass{article}' '\usepackage{booktabs}'
        # Layouts have lines of exactly the width that was asked for, with and without lmodern.
        case $table in
        table-readme.tex) ;;
        layout-*) printf '%s\n' '\usepackage[T1]{fontenc}' '\usepackage{lmodern}' "\\setlength\\textwidth{${width}mm}" '\raggedbottom' ;;
        plain-layout-*) printf '%s\n' "\\setlength\\textwidth{${width}mm}" '\raggedbottom' ;;
        *)
            printf '%s\n' '\usepackage[T1]{fontenc}' '\usepackage{lmodern}' \
                '\setlength\pdfpagewidth{80cm}' '\setlength\textwidth{70cm}'
            ;;
        esac
        printf '%s\n' '\begin{document}' '\noindent' "\\input{$table}" '\end{document}'
    } >"page-$table"
    name=page-${table%.tex}
    pdflatex -interaction=nonstopmode -halt-on-error "page-$table" >/dev/null 2>&1 ||
        fail "$table: $(grep -A 3 '^!' "$name.log")"
    # "Overfull" sticks out; a missing character is one that the font does not have.
    if grep -E '^(Overfull|Underfull|Missing character|LaTeX Warning)' "$name.log" >&2; then
        fail "$table: see $pages/$name.log"
    fi
    pdftotext -layout "$name.pdf" "$name.txt"
    grep -q '[[:alnum:]]' "$name.txt" || fail "$table: an empty page"
done

# The names come out as they are.
for table in table-odd table-rows replay-odd; do
    for name in "$odd" '[first]*' "$best"; do
        grep -qF -- "$name" "page-$table.txt" || fail "$table: '$name' is not on the page: $(cat "page-$table.txt")"
    done
done
# Adjacent columns have one heading, bare numbers have a name, and notes are on the page.
grep -qF '\multicolumn{2}{c}{4x4, arrival\_scale}' table-seeds.tex || fail "table-seeds: no heading above the scales"
grep -qF '\multicolumn{4}{c}{arrival\_scale}' table-spans.tex || fail "table-spans: no name above the scales"
grep -qF '\textbf' table-spans.tex || fail "table-spans: no row has a best number"
for words in 'pairwise.sum.mean relative to mc1x1' 'each number is the' 'confidence interval'; do
    grep -q "$words" page-table-readme.txt || fail "table-readme: '$words' is not on the page"
done
grep -qF '±' page-table-seeds.txt || fail "table-seeds: no half widths"
grep -qF 'exact' page-reproduce-diessel.txt || fail "reproduce-diessel: no verdicts"
echo "pdflatex: $(ls page-*.pdf | wc -l) tables typeset, nothing sticks out, names are whole"
