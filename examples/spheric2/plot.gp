# A run beside the experiment, pressures as means over 10 ms. Usage: gnuplot -e "here='FOLDER OF THIS FILE'" plot.gp
set terminal pngcairo size 1300,900 font ",12"
set output "spheric2.png"
set datafile separator ","
set multiplot layout 2,3
set grid
set key top right
experiment = here."/experiment.csv"
set xlabel "t, s"
stats "heights.csv" using 1 every ::1 nooutput
set xrange [0:STATS_max]
set ylabel "height of the water, m"
do for [k in "1 2 4"] {
    set title "H".k
    plot experiment using 1:(column(int(k) + 9)) every ::1 with lines lw 2 lc "black" title "experiment", \
         "heights.csv" using 1:(column(int(k) + 1)) every ::1 with lines lw 1.5 lc "blue" title "md"
}
set ylabel "pressure, Pa"
set xrange [0:(STATS_max < 2 ? STATS_max : 2)]
do for [k in "1 2 3"] {
    set title "P".k
    plot experiment using 1:(column(int(k) + 1)) every ::1 with lines lw 2 lc "black" title "experiment", \
         "probes.csv" using (floor(100 * $1 + 0.5) / 100.):(column(int(k) + 1)) every ::1 smooth unique with lines lw 1 lc "blue" title "md"
}
