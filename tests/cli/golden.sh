# Sourced by run.sh: texts that people read.
golden help --help
golden summary --backend cpu --engine reference --size 24x20x16 --steps 8 --order 4 --dt 1e-3
golden summary_everything --backend cpu --engine reference --size 24x20x16 --spacing 10,8,5 --steps 6 --order 2 \
    --courant 0.3 --precision f64 --boundary absorbing,z-=free,y=periodic --absorbing-width 4 \
    --source '50,40,20;100,40,20,-1' --frequency 12 --receivers 40,40,10:180,40,10:9 \
    --traces shot.npy,shot.png --field u.npy --snapshot-every 3 --output pictures --json run.json
golden summary_plane --backend cpu --engine reference --size 41x21 --spacing 10,5 --steps 8 --order 4 --dt 5e-4 \
    --boundary absorbing,z-=free --absorbing-width 4 --source 200,20 --receivers 50,10:350,10:7 --traces shot.npy
golden dry_run --dry-run --backend cpu --engine reference --size 400x300x200 --steps 5000 --dt 1e-3 --threads 1 \
    --receivers 0,0,0:1000,0,0:100 --traces shot.npy --field u.npy --time-dispersion leave

"$wave" --version | grep -q '^wave [0-9]*\.[0-9]*\.[0-9]*' || fail "--version says no version"
[ "$("$wave" -h | head -1)" = "Usage: wave [OPTION]..." ] || fail "-h is not --help"
