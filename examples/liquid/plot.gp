# What run.sh measured: g(r), autocorrelation of velocities, mean square displacement, viscosity.
set datafile separator ','
set terminal pngcairo size 1000,760 font ',10'
set output 'liquid.png'
set grid
set multiplot layout 2,2
set xlabel 'r, sigma'
set ylabel 'g(r)'
plot 'rdf.csv' using 1:2 every ::1 with lines notitle
set xlabel 'time'
set ylabel '<v(0) v(t)>'
set xrange [0:2]
plot 'vacf.csv' using 2:3 every ::1 with lines notitle
set xrange [*:*]
set ylabel 'mean square displacement'
set key top left
plot 'msd_500.csv' using 2:3 every ::1 with lines title '500 particles', \
     'msd_2048.csv' using 2:3 every ::1 with lines title '2048 particles'
set ylabel 'viscosity, integral up to this time'
set yrange [0:*]
plot 'viscosity.csv' using 2:4 every ::1 with lines notitle
unset multiplot
