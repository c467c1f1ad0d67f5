"""How runs over several GPUs would scale, on paper: the model of bench/SCALING.md, which says what each number is.

Rates and tiles are those of bench/wave_h200.csv; tables.py makes the tables of the page with this.
"""
MEMORY = 4200e9  # bytes/s of an H200, copying
NODES = 100e9  # bytes/s: no link between nodes is faster, none inside a host slower
LEVELS = 2 * 4  # bytes of a cell that travel: both levels in f32
PLANES, PLANE = 1024, 1024 * 512  # of the grid on one GPU, and cells of each


class Device:
    """A GPU by its rate (cell updates a second) with towers of DTS and height."""

    def __init__(self, order, rate, dts, height):
        self.half, self.dts = order // 2, dts
        # a tower reads its first diamond before its first step: half as much as dts steps need
        self.limit = rate * (height + dts / 2) / height

    def rate(self, height):
        return self.limit * height / (height + self.dts / 2)

    def overlap(self, height):
        """Planes that two slabs both have."""
        return self.half * height + 2 * self.dts * self.half - 1 + self.half


def seconds(device, planes, count, link, height, steps):
    """Of a run by so many devices, with so many planes each; None: a slab is too thin. A link beyond the host copies."""
    overlap, passes = device.overlap(height), steps / height
    computing = planes * PLANE * height / device.rate(height)
    if count == 1:
        return passes * computing
    if planes < overlap + 1:
        return None
    size = LEVELS * overlap * PLANE
    sending = size / link
    copying = 0 if link > NODES else 4 * 2 * size / MEMORY  # at both ends, out and in, each read and written
    top = computing * overlap / planes  # towers that others wait for
    a_pass = max(computing + copying, 2 * top + copying + 2 * sending)
    return (passes + count - 1) * a_pass


def best(device, planes, count, link, steps):
    """Seconds and height of the best towers; None: none fits."""
    tries = [(seconds(device, planes, count, link, h, steps), h) for h in range(4, 129, 4)]
    return min((t for t in tries if t[0] is not None), default=None)


def row(device, count, link):
    """Weak scaling, of 1024 steps and of 10240, in percent; strong scaling, of 1024 steps, times one GPU."""
    cells = []
    columns = ((PLANES, 1024, "{:.0f} %"), (PLANES, 10240, "{:.0f} %"), (PLANES / count, 1024, "{:.1f}"))
    for planes, steps, form in columns:
        alone, shared = best(device, PLANES, 1, link, steps)[0], best(device, planes, count, link, steps)
        share = 1 if planes < PLANES else 100
        cells.append(form.format(share * alone / shared[0]) if shared else "")
    return cells
