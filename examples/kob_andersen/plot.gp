# What run.sh measured: g(r) of each two types, mean square displacements.
set datafile separator ','
set terminal pngcairo size 1000,400 font ',10'
set output 'kob_andersen.png'
set grid
set multiplot layout 1,2
set xlabel 'r'
set ylabel 'g(r) at T = 0.5'
plot 'rdf_0.5.csv' using 1:5 every ::1 with lines title 'large, large', \
     'rdf_0.5.csv' using 1:6 every ::1 with lines title 'large, small', \
     'rdf_0.5.csv' using 1:7 every ::1 with lines title 'small, small'
set xlabel 'time'
set ylabel 'mean square displacement'
set logscale
set key top left
plot 'msd_1.0.csv' using 2:3 every ::2 with lines title 'T = 1', \
     'msd_0.5.csv' using 2:3 every ::2 with lines title 'T = 0.5'
unset multiplot
