# Sourced by run.sh: two dimensions from outside. (The numbers: test_wave_plane and test_wave_point_source.)
grid="--backend cpu --size 41x33 --order 4"
plane="$grid --spacing 5 --steps 30"

good $plane --source 100,80 --json run.json --snapshot-every 0 --field u.npy --receivers 20,0:180,160:9 --traces t.npy
[ "$(member dimensions)" = 2 ] && [ "$(member size)" = "[41, 1, 33]" ] && [ "$(member spacing_m)" = 5 ] &&
    [ "$(member cell_updates)" = $((41 * 33 * 30)) ] && [[ $(member courant_limit) =~ ^0\.612372 ]] ||
    fail "the report of a plane is wrong: $(cat run/run.json)" # 2 / sqrt(2 * 16 / 3)
head -c 128 run/u.npy | grep -q "'shape': (41, 33)" || fail "the field of a plane: $(head -c 128 run/u.npy)"
cp run/u.npy plane.npy && cp run/t.npy plane_t.npy

# a point of three numbers is x, 0, z; engines agree; a field comes back in as it went out
printf 'x,y,z\n20,0,0\n40,0,20\n60,0,40\n80,0,60\n100,0,80\n120,0,100\n140,0,120\n160,0,140\n180,0,160\n' >nine.csv
good $plane --source 100,0,80 --snapshot-every 0 --field u.npy --receivers "$work/nine.csv" --traces t.npy --engine stepwise
cmp -s run/u.npy plane.npy && cmp -s run/t.npy plane_t.npy || fail "x,0,z: not what x,z gives"
good $grid --steps 0 --snapshot-every 0 --field u.npy --initial "$work/plane.npy,$work/plane.npy"
cmp -s run/u.npy plane.npy || fail "--initial of a plane: not the field that was given"
good $plane --snapshot-every 0 --initial noise

# a model (nx, nz): a plane by itself, extended along y where --size says so
good --backend cpu --velocity "$work/inputs/flat.npy" --steps 2 --json run.json --snapshot-every 0 --source none
[ "$(member size)" = "[2, 1, 2]" ] && [ "$(member dimensions)" = 2 ] || fail "a model (nx, nz): $(member size)"
good --backend cpu --velocity "$work/inputs/flat.npy" --size 2x5x2 --steps 2 --json run.json --snapshot-every 0 --source none
[ "$(member size)" = "[2, 5, 2]" ] && [ "$(member dimensions)" = 3 ] || fail "extended: $(member size)"
good $grid --spacing 5,4 --steps 1 --json run.json --snapshot-every 0
[ "$(member spacing_m)" = "[5, 4]" ] || fail "--spacing 5,4: $(member spacing_m)"

for faces in y=rigid absorbing,y-=free free,y+=periodic; do
    bad 2 "(or x, z for both; a plane has no y) at most once (got $faces)" $plane --boundary $faces
done
bad 2 "--snapshot-plane must be xz in a plane" $plane --snapshot-plane xy
bad 2 "--source must be x,z or x,0,z[,amplitude][,component] in metres" $plane --source 3
bad 2 "source 0: y = 80 m lies outside the grid (0 to 0 m)" $plane --source 100,80,2
bad 2 "source 0: z = 161 m lies outside the grid (0 to 160 m)" $plane --source 100,161
bad 2 "--receivers must be x,z or x,0,z[,component] in metres, several with ';' between them, a line x0,z0:x1,z1:N[:component]" \
    $plane --receivers 1,0,3,4 --traces t.npy
bad 3 "cube.npy has 3 axes, shape (1, 2, 2); the grid is 41x33" $plane --initial cube.npy
