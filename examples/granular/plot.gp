# What run.sh computed: energy of the shaken gas, its height profile, and Haff's law.
set datafile separator ','
set terminal pngcairo size 1200,400 font ',10'
set grid
set output 'shaken_gas.png'
set multiplot layout 1,2
set xlabel 'time, s'
set ylabel 'energy per particle, J'
set key top left
plot 'shaken.csv' using 2:4 every ::1 with lines title 'kinetic', \
     '' using 2:7 every ::1 with lines title 'lost', '' using 2:8 every ::1 with lines title 'from the walls'
set xlabel 'height, mm'
set ylabel 'filling'
set y2label 'granular temperature, m^2/s^2'
set y2tics
set ytics nomirror
set key top right
plot 'height.csv' using ($1 * 1e3):3 every ::1 with lines title 'filling', \
     '' using ($1 * 1e3):5 every ::1 axes x1y2 with lines title 'temperature'
unset multiplot
unset y2tics
unset y2label
set ytics mirror

# Haff: T = T0 / (1 + t / tau)^2, Enskog's collision rate
set terminal pngcairo size 600,400 font ',10'
set output 'haff.png'
phi = 0.1
e = 0.8
d = 1e-3
T0 = 0.04
chi = (1 - phi / 2) / (1 - phi)**3
tau = 6 / ((1 - e**2) * 24 * phi * chi * sqrt(T0 / pi) / d)
set xlabel 't / tau'
set ylabel 'T / T0'
set logscale y
plot 'cooling.csv' using ($2 / tau):($3 / T0) every ::1 with points pt 7 ps 0.4 title 'md', \
     [0:*] 1 / (1 + x)**2 title "Haff's law"
