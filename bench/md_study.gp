# gnuplot md_study.gp, where md_study.csv is
set datafile separator ','
set datafile missing NaN
orderings = 'row-major morton hilbert none shuffled'
colours = '#0072B2 #009E73 #D55E00 #E69F00 #808080'
# ns per particle and step from column c, of the rows that the three words select
phase(c, what, list, order) = strcol(1) eq what && strcol(4) eq list && strcol(5) eq order \
    ? 1e3 * column(c) / column(2) : NaN
total(what, list, order) = strcol(1) eq what && strcol(4) eq list && strcol(5) eq order \
    ? 1e9 / column(7) : NaN
draw = "set multiplot layout 2,2; \
set key top right samplen 2; set grid lc rgb '#d4d4d4'; set logscale x; set yrange [0:*]; set offsets 0, 0, graph 0.25, 0; \
set xlabel 'particles'; set format x '10^{%L}'; set xtics auto; \
set ylabel 'ns per particle and step'; \
set title 'Force kernel: full lists solid, half lists dashed'; \
plot for [k=1:5] 'md_study.csv' using 2:(phase(9, 'size', 'full', word(orderings, k))) \
    with linespoints pt 7 ps 0.6 lw 2 lc rgb word(colours, k) title word(orderings, k), \
  for [k=1:5] '' using 2:(phase(9, 'size', 'half', word(orderings, k))) \
    with linespoints pt 6 ps 0.6 lw 1.5 dt 2 lc rgb word(colours, k) notitle; \
set title 'Everything: forces, lists, sorting, sums'; \
plot for [k=1:5] 'md_study.csv' using 2:(total('size', 'full', word(orderings, k))) \
    with linespoints pt 7 ps 0.6 lw 2 lc rgb word(colours, k) notitle, \
  for [k=1:5] '' using 2:(total('size', 'half', word(orderings, k))) \
    with linespoints pt 6 ps 0.6 lw 1.5 dt 2 lc rgb word(colours, k) notitle; \
unset logscale x; set format x '%g'; set xlabel 'threads of a block'; set xtics 128; \
set title 'Force kernel, 3.1 million particles, row-major'; \
plot 'md_study.csv' using 17:(phase(9, 'block', 'full', 'row-major')) \
    with linespoints pt 7 lw 2 lc rgb '#0072B2' title 'full lists', \
  '' using 17:(phase(9, 'block', 'half', 'row-major')) \
    with linespoints pt 6 lw 2 dt 2 lc rgb '#0072B2' title 'half lists'; \
set logscale x; set xlabel 'steps between sorts'; set xtics (20, 50, 100, 200, 500, 1000, 'never' 3000); \
set title '3.1 million particles, full lists: total solid, sorting dashed'; \
plot for [k in '1 3 4'] 'md_study.csv' using (column(6) > 0 ? column(6) : 3000):(total('interval', 'full', word(orderings, k+0))) \
    with linespoints pt 7 lw 2 lc rgb word(colours, k+0) title word(orderings, k+0), \
  for [k in '1 3 4'] '' using (column(6) > 0 ? column(6) : 3000):(phase(11, 'interval', 'full', word(orderings, k+0))) \
    with linespoints pt 6 lw 1.5 dt 2 lc rgb word(colours, k+0) notitle; \
unset multiplot"
set terminal pngcairo size 1300,900 font 'sans,11'
set output 'md_study.png'
eval draw
set terminal svg size 1300,900 font 'sans,13' background 'white'
set output 'md_study.svg'
eval draw
