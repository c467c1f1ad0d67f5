# The fronts of the runs beside the experiments. Usage: gnuplot -e "here='FOLDER OF THIS FILE'" front.gp
set terminal pngcairo size 900,650 font ",13"
set output "front.png"
set datafile separator ","
set key top left reverse Left
set xlabel "t sqrt(2g/L)"
set ylabel "front x/L"
set xrange [0:3.5]
set yrange [1:4.2]
set grid
files = system("ls */front.csv 2>/dev/null")
plot for [f in files] f using 4:3 every ::1 with lines lw 2 title system("dirname ".f), \
     here."/martin_moyce_1952.csv" using ($1 < 2 ? $2 : 1/0):3 with points pt 6 ps 1.5 lc "black" \
         title "Martin and Moyce 1952, L = 1.125 in", \
     here."/martin_moyce_1952.csv" using ($1 > 2 ? $2 : 1/0):3 with points pt 4 ps 1.5 lc "black" \
         title "Martin and Moyce 1952, L = 2.25 in", \
     here."/koshizuka_oka_1996.csv" using 1:2 with points pt 8 ps 1.5 lc "black" \
         title "Koshizuka and Oka 1996"
