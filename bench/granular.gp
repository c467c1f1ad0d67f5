# Figures of bench_granular.sh: csv, png and study are given on the command line.
set terminal pngcairo size 1100,420 font ',10'
set output png
set datafile separator ','
set datafile missing NaN
set key top right
set grid
set yrange [0:*]
if (study eq 'table' || study eq 'search' || study eq 'orderings') {
    set style data histograms
    set style histogram rowstacked
    set style fill solid 0.8 border -1
    set boxwidth 0.7
    set ylabel 'ns per particle and step'
    label(n) = study eq 'search' ? sprintf('%s, skin %s', strcol(4), strcol(5)) : sprintf('%s, %s', strcol(2), strcol(1))
    plot csv using 8:xtic(label(0)) every ::1 title 'force', '' using 9 every ::1 title 'lists', \
         '' using 10 every ::1 title 'sort', '' using 11 every ::1 title 'other'
}
if (study eq 'filling') {
    set multiplot layout 1,2
    set xlabel 'filling'
    set ylabel 'run time per step, ms'
    set key top left
    plot for [o in 'none pancake'] csv using (strcol(2) eq o ? $1 : NaN):($12 * $6 * 1e-6) \
         with linespoints title o
    set ylabel 'none over pancake'
    # rows come in pairs: none, then pancake
    before = NaN
    plot csv using (strcol(2) eq 'pancake' ? $1 : NaN):(strcol(2) eq 'none' ? (before = $12, NaN) : before / $12) \
         with linespoints title 'total', \
         csv using (strcol(2) eq 'pancake' ? $1 : NaN):(strcol(2) eq 'none' ? (before = $8, NaN) : before / $8) \
         with linespoints title 'force'
    unset multiplot
}
if (study eq 'interval') {
    set logscale x
    set key bottom left
    set xlabel 'steps between reorders (up to the next rebuild of the lists, every 60 to 70)'
    set ylabel 'ns per particle and step'
    plot for [f in '0.1 0.4'] csv using (strcol(1) eq f ? $3 : NaN):12 with linespoints title 'total, filling '.f, \
         for [f in '0.1 0.4'] csv using (strcol(1) eq f ? $3 : NaN):8 with linespoints title 'force, filling '.f
}
