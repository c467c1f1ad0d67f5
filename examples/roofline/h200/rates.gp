# gnuplot rates.gp, in this folder
set terminal pngcairo size 1100,760 font 'sans,12'
set output 'rates.png'
set lmargin at screen 0.09
set rmargin at screen 0.975
set bmargin at screen 0.095
set tmargin at screen 0.91
set title "Rate of the best towers for each order/DTS\nNVIDIA H200, f32" noenhanced
set border lc rgb '#404040'
set tics nomirror
set grid ytics lc rgb '#e0e0e0'
set boxwidth 0.8
set style fill solid 0.85
set xlabel 'order / DTS'
set ylabel 'Gcells/s' offset 1
set yrange [0:*]
set offsets 0,0,graph 0.06,0
set xrange [0:*]
set key top right samplen 2
set xtics ()
plot \
  'points.dat' index 'torre-2' using 8:3:xtic(9) with boxes lc rgb '#0072B2' title 'towers, order 2', \
  '' index 'torre-2' using 8:4:(0):($5-$4) with vectors nohead lc rgb '#404040' notitle, \
  '' index 'torre-2' using 8:5:(sprintf('%.4g', $3)) with labels offset 0,0.7 font ',10' notitle, \
  'points.dat' index 'stepwise-2' using (0.5):3:(6):(0) with vectors nohead lw 3 lc rgb '#000000' notitle, \
  'points.dat' index 'torre-4' using 8:3:xtic(9) with boxes lc rgb '#009E73' title 'towers, order 4', \
  '' index 'torre-4' using 8:4:(0):($5-$4) with vectors nohead lc rgb '#404040' notitle, \
  '' index 'torre-4' using 8:5:(sprintf('%.4g', $3)) with labels offset 0,0.7 font ',10' notitle, \
  'points.dat' index 'stepwise-4' using (7.5):3:(6):(0) with vectors nohead lw 3 lc rgb '#000000' notitle, \
  'points.dat' index 'torre-6' using 8:3:xtic(9) with boxes lc rgb '#E69F00' title 'towers, order 6', \
  '' index 'torre-6' using 8:4:(0):($5-$4) with vectors nohead lc rgb '#404040' notitle, \
  '' index 'torre-6' using 8:5:(sprintf('%.4g', $3)) with labels offset 0,0.7 font ',10' notitle, \
  'points.dat' index 'stepwise-6' using (14.5):3:(4):(0) with vectors nohead lw 3 lc rgb '#000000' notitle, \
  'points.dat' index 'torre-8' using 8:3:xtic(9) with boxes lc rgb '#D55E00' title 'towers, order 8', \
  '' index 'torre-8' using 8:4:(0):($5-$4) with vectors nohead lc rgb '#404040' notitle, \
  '' index 'torre-8' using 8:5:(sprintf('%.4g', $3)) with labels offset 0,0.7 font ',10' notitle, \
  'points.dat' index 'stepwise-8' using (19.5):3:(4):(0) with vectors nohead lw 3 lc rgb '#000000' notitle, \
  1/0 with lines lw 3 lc rgb '#000000' title 'stepwise'

set terminal svg size 1100,760 font 'sans,14' background 'white'
set output 'rates.svg'
replot
set output
