# What a receiver on the basin records (trace.npy), and one on rock alone (rock.npy), dt seconds apart.
# A .npy file has 128 bytes before its values.
dt = 0.0008
samples = (system('wc -c <trace.npy') - 128) / 4
set terminal pngcairo size 900,400
set output 'figure.png'
set xlabel 'time (s)'
set ylabel 'u'
plot 'rock.npy' binary skip=128 format='%float32' array=(samples) dx=dt using 1 with lines title 'rock', \
     'trace.npy' binary skip=128 format='%float32' array=(samples) dx=dt using 1 with lines title 'basin'
