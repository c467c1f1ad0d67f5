# %% [markdown]
# # Waves and particles in Python
#
# Run it whole, `python3 tutorial.py`, or cell by cell in an editor that knows `# %%`. It takes seconds. Figures are
# drawn where matplotlib is installed, and go to the current folder.

# %%
import numpy as np

import diamondtorre as torre

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    plt = None

print(torre.about())

# %% [markdown]
# ## A model like Marmousi
#
# Velocities in m/s on a plane, shape (nx, nz), z downwards: water above, folded layers in which waves get faster with
# depth, three faults that cut them, and a wedge that is fast.

# %%
spacing = 10.0  # m
x, z = np.meshgrid(np.arange(461) * spacing, np.arange(151) * spacing, indexing="ij")
depth = z - 300 + 60 * np.sin(x / 700) - 0.06 * x
for fault, throw in ((1500, 60), (2300, 90), (3100, -70)):
    depth += throw * (x + 0.4 * z > fault)
layer = np.floor(np.maximum(depth, 0) / 70)
model = 1600 + 0.9 * np.maximum(depth, 0) + 220 * np.sin(2.4 * layer)
model[(z > 900 + 0.1 * x) & (z < 1200)] = 3600
model[z < 240] = 1500
model = model.astype(np.float32)
print(f"{model.shape} cells, {model.min():.0f} to {model.max():.0f} m/s")

# %% [markdown]
# ## A shot
#
# `model` is read where it lies. A Ricker wavelet of 8 Hz goes off below the free surface; receivers stand along it.
# Keywords are the members of `torre.WaveOptions` and mean what the options of `wave` mean (`wave --help`).

# %%
receivers = np.column_stack([np.arange(200, 4401, 20), np.full(211, 20.0)])  # x, z in m
shot = torre.Wave(velocity=model, spacing=spacing, boundary="absorbing,z-=free", source=[2300, 20], frequency=8,
                  receivers=receivers, steps=1000)
print(f"{shot.steps} steps of {1e3 * shot.dt:.3f} ms, {shot.info.kernel}")
for caution in shot.cautions:
    print("caution:", caution)

frames = np.empty((4, *shot.shape), shot.dtype)
shot.advance(every=250, frame=lambda run: run.field(out=frames[run.step // 250 - 1]))
print(f"{shot.rate:.2f} billion cells a second, largest sample {np.abs(shot.traces).max():.3g}")

# %% [markdown]
# The first arrival is that of the water, whose velocity one can read off the seismogram: near the source, where no
# reflection has come yet, distance over time.

# %%
offset = np.abs(shot.receivers[:, 0] - 2300)
near = (offset > 100) & (offset < 400)
loud = np.abs(shot.traces) > 0.1 * np.abs(shot.traces).max(axis=1, keepdims=True)
arrival = shot.times[loud.argmax(axis=1)]
slowness = np.polyfit(offset[near], arrival[near], 1)[0]
print(f"direct wave: {1 / slowness:.0f} m/s")
assert abs(slowness * 1500 - 1) < 0.08  # picked to an eighth of a period, 16 ms, of 200 ms between 100 and 400 m

# %%
if plt:
    km = (0, x.max() / 1e3, z.max() / 1e3, 0)
    figure, (above, below) = plt.subplots(2, 1, figsize=(8, 7), layout="constrained")
    picture = above.imshow(model.T, extent=km, cmap="cividis")
    figure.colorbar(picture, label="velocity, m/s")
    limit = np.percentile(np.abs(frames[1]), 99.5)
    above.contour(frames[1].T, levels=[-limit / 3, limit / 3], colors="w", linewidths=0.5,
                  extent=(0, x.max() / 1e3, 0, z.max() / 1e3))
    above.set(xlabel="x, km", ylabel="z, km", title=f"model, and the wave after {500 * shot.dt:.2f} s")
    limit = np.percentile(np.abs(shot.traces), 97)
    picture = below.imshow(shot.traces.T, aspect="auto", cmap="RdBu", vmin=-limit, vmax=limit,
                           extent=(receivers[0, 0] / 1e3, receivers[-1, 0] / 1e3, shot.times[-1], 0))
    figure.colorbar(picture, label="u")
    below.set(xlabel="receiver, km", ylabel="time, s", title="seismogram")
    figure.savefig("shot.png", dpi=120)

# %% [markdown]
# ## A melt
#
# 2,048 Lennard-Jones particles start as a crystal, too warm to stay one. A thermostat holds the temperature at the
# 0.71 of the liquid near its triple point; rows of the table come by a callback.

# %%
melt = torre.LJ(cells=8, density=0.8442, temperature=1.44, seed=1, precision="mixed")
melt.advance(300)  # half of the kinetic energy goes into melting
rows: list[torre.ThermoRow] = []
liquid = torre.LJ(position=melt.positions(), velocity=melt.velocities(), box=melt.box, precision="mixed",
                  ensemble="langevin", temperature=0.71, damping_time=0.5, seed=2)
liquid.advance(600, every=100, frame=lambda p: rows.append(p.row))
for row in rows:
    print(f"{row.step:6d}  T {row.temperature:.3f}  E/N {row.total_energy:.3f}  p {row.pressure:.3f}")

# %% [markdown]
# ## Its radial distribution
#
# g(r), the mean of ten states 20 steps apart. A liquid has a first peak near the minimum of the potential, 1.12 sigma,
# and shells that fade; a crystal would have nothing between them.

# %%
states = []
for _ in range(10):
    liquid.advance(20)
    r, g = torre.radial_distribution(liquid.positions(), liquid.box, reach=4, bins=160)
    states.append(g)
g = np.mean(states, axis=0)
peak = r[g.argmax()]
print(f"g(r): highest at r = {peak:.3f}, {g.max():.2f}; {g[r > 3.5].mean():.3f} far away")
assert 1.0 < peak < 1.15 and 2.5 < g.max() < 3.4 and abs(g[r > 3.5].mean() - 1) < 0.03 and not g[r < 0.8].any()

# %%
if plt:
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    axes.plot(r, g)
    axes.axhline(1, color="grey", linewidth=0.5)
    axes.set(xlabel="r / sigma", ylabel="g(r)", title=f"Lennard-Jones liquid, T = {rows[-1].temperature:.2f}")
    figure.savefig("melt_g.png", dpi=120)
