# gnuplot roofline.gp, in this folder
set terminal pngcairo size 1100,760 font 'sans,12'
set output 'roofline.png'
set lmargin at screen 0.09
set rmargin at screen 0.975
set bmargin at screen 0.095
set tmargin at screen 0.91
set title "Towers and the roofline\n2 x Intel(R) Xeon(R) Processor (avx512), f32" noenhanced
set border lc rgb '#404040'
set tics nomirror
set logscale xy
set grid lc rgb '#d4d4d4'
set xlabel 'operations per byte of main memory (counted; bytes modelled)'
set ylabel 'Gop/s' offset 1
set key bottom right box lc rgb '#c0c0c0' opaque samplen 2 spacing 1.15
set xrange [0.366667:114]
set yrange [10.2003:1115]
set xtics ('0.5' 0.5, '1' 1, '2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100)
set ytics ('20' 20, '50' 50, '100' 100, '200' 200, '500' 500, '1000' 1000)
set arrow from 0.366667,27.3932 to 4.21962,315.243 nohead lc rgb '#a0a0a0' lw 1.2
set label 'last-level cache, wave mix  75 GB/s' at 0.388667,29.0368 rotate by 37.9 offset -0.4,0.9 font ',10' tc rgb '#707070'
set arrow from 0.366667,86.594 to 1.33484,315.243 nohead lc rgb '#a0a0a0' lw 1.2
set label 'middle cache, wave mix  236 GB/s' at 0.388667,91.7896 rotate by 37.9 offset -0.4,0.9 font ',10' tc rgb '#707070'
set arrow from 0.366667,278.749 to 0.414671,315.243 nohead lc rgb '#a0a0a0' lw 1.2
set label 'L1 or shared memory, wave mix  760 GB/s' at 0.388667,295.474 rotate by 37.9 offset -0.4,0.9 font ',10' tc rgb '#707070'
set arrow from 0.366667,19.4095 to 5.95529,315.243 nohead lc rgb '#000000' lw 2.5
set label 'main memory, wave mix  53 GB/s' at 0.388667,20.5741 rotate by 37.9 offset -0.4,0.9 font ',10' tc rgb '#000000'
set arrow from 0.414671,315.243 to 114,315.243 nohead lc rgb '#000000' lw 2.5
set label 'f32 multiply-add  315.2 Gop/s' at 114,315.243 right offset -0.5,0.6 font ',10' tc rgb '#000000'
set arrow from 0.366667,267.386 to 114,267.386 nohead lc rgb '#a0a0a0' lw 1.2
set label 'f32 add and multiply-add, 1:1  267.4 Gop/s' at 114,267.386 right offset -0.5,0.6 font ',10' tc rgb '#707070'
plot \
  'points.dat' index 'torre-2' using 1:2 with linespoints lw 2 pt 7 ps 1.3 lc rgb '#0072B2' title 'towers, order 2', \
  '' index 'torre-2' using 1:2:(sprintf('%d', $6)) with labels offset 0,0.9 font ',10' tc rgb '#0072B2' notitle, \
  'points.dat' index 'stepwise-2' using 1:2 with points pt 4 ps 1.8 lw 2.5 lc rgb '#0072B2' notitle, \
  'points.dat' index 'torre-4' using 1:2 with linespoints lw 2 pt 7 ps 1.3 lc rgb '#009E73' title 'towers, order 4', \
  '' index 'torre-4' using 1:2:(sprintf('%d', $6)) with labels offset 0,0.9 font ',10' tc rgb '#009E73' notitle, \
  'points.dat' index 'stepwise-4' using 1:2 with points pt 4 ps 1.8 lw 2.5 lc rgb '#009E73' notitle, \
  'points.dat' index 'torre-6' using 1:2 with linespoints lw 2 pt 7 ps 1.3 lc rgb '#E69F00' title 'towers, order 6', \
  '' index 'torre-6' using 1:2:(sprintf('%d', $6)) with labels offset 0,0.9 font ',10' tc rgb '#E69F00' notitle, \
  'points.dat' index 'stepwise-6' using 1:2 with points pt 4 ps 1.8 lw 2.5 lc rgb '#E69F00' notitle, \
  'points.dat' index 'torre-8' using 1:2 with linespoints lw 2 pt 7 ps 1.3 lc rgb '#D55E00' title 'towers, order 8', \
  '' index 'torre-8' using 1:2:(sprintf('%d', $6)) with labels offset 0,0.9 font ',10' tc rgb '#D55E00' notitle, \
  'points.dat' index 'stepwise-8' using 1:2 with points pt 4 ps 1.8 lw 2.5 lc rgb '#D55E00' notitle, \
  1/0 with points pt 4 ps 1.8 lw 2.5 lc rgb '#606060' title 'stepwise, same colours', \
  1/0 with points pt -1 title 'numbers: DTS'

set terminal svg size 1100,760 font 'sans,14' background 'white'
set output 'roofline.svg'
replot
set output
