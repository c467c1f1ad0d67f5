#!/usr/bin/env python3
"""CUDA C++ to what a C++ compiler takes with cuda_on_host.h.

    rewrite.py OUT FOLDER SOURCE...

Writes every header of FOLDER (cuda/) to OUT/cuda, and every SOURCE to OUT/NAME.cpp. Only three things
are written in another way:

    kernel<A><<<grid, block, ...>>>(...)  emulator_launch("kernel", kernel<A>, grid, block, ...)(...);
                                        without <A> a lambda that calls it
    (const void *)kernel                emulator_kernel("kernel", kernel)
    extern __shared__ T name[];         T *const name = (T *)emulator::shared_memory();

The header of PTX instructions is replaced by the one here. Files that stay the same are not touched.
"""
import os
import re
import sys

NAME = r"[A-Za-z_]\w*"


def kernels_of(texts):
    """Names of all __global__ functions."""
    found = set()
    for text in texts:
        for at in re.finditer(r"__global__", text):
            head = text[at.end() : text.index("(", skip_bounds(text, at.end()))]
            found.add(re.findall(NAME, head)[-1])
    return found


def skip_bounds(text, at):
    """Behind __launch_bounds__(...) where that is what follows."""
    match = re.compile(r"\s*(void\s*)?__launch_bounds__").match(text, at)
    return matching(text, text.index("(", match.end()), "(", ")") + 1 if match else at


def matching(text, at, opening, closing):
    """Place of the bracket that closes the one at `at`."""
    depth = 0
    while True:
        if text[at] == opening:
            depth += 1
        elif text[at] == closing:
            depth -= 1
            if depth == 0:
                return at
        at += 1


def template_end(text, at):
    """Behind the template arguments that begin at `at`, if some do."""
    if at < len(text) and text[at] == "<" and not text.startswith("<<<", at):
        return matching(text, at, "<", ">") + 1
    return at


def rewrite(text, kernels):
    def shared(match):
        return f"{match[2]} *const {match[3]} = ({match[2]} *)emulator::shared_memory();"

    text = re.sub(r"extern __shared__ (__align__\(\d+\) )?(\w+) (\w+)\[\];", shared, text)
    out, at = [], 0
    word = re.compile(rf"(\(const void \*\)\s*)?\b({NAME})\b")
    for match in word.finditer(text):
        if match.start() < at or match[2] not in kernels:
            continue
        end = template_end(text, match.end())
        kernel = text[match.start(2) : end]
        launch = re.compile(r"\s*<<<").match(text, end)
        if launch:
            close = text.index(">>>", launch.end())
            given = text[launch.end() : close]
            if end == match.end():  # a template whose arguments follow from those of the call, maybe
                kernel = f"[](auto... a) {{ {kernel}(a...); }}"
            new = f'emulator_launch("{match[2]}", {kernel}, {given})'
            end = close + 3
        elif match[1]:
            new = f'emulator_kernel("{match[2]}", {kernel})'
        else:
            continue
        out += [text[at : match.start()], new]
        at = end
    return "".join(out) + text[at:]


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        with open(path) as file:
            if file.read() == text:
                return
    except OSError:
        pass
    with open(path, "w") as file:
        file.write(text)


def main(out, folder, *sources):
    here = os.path.dirname(os.path.abspath(__file__))
    files = {}
    for place, _, names in os.walk(folder):
        for name in names:
            if name.endswith((".h", ".cuh")):
                path = os.path.join(place, name)
                files[os.path.join(out, "cuda", os.path.relpath(path, folder))] = path
    files[os.path.join(out, "cuda", "core", "ptx.cuh")] = os.path.join(here, "ptx.cuh")
    for source in sources:
        name = os.path.splitext(os.path.basename(source))[0] + ".cpp"
        files[os.path.join(out, name)] = source
    texts = {}
    for to, path in files.items():
        with open(path) as file:
            texts[to] = file.read()
    kernels = kernels_of(texts.values())
    for to, text in texts.items():
        write(to, rewrite(text, kernels))


if __name__ == "__main__":
    main(*sys.argv[1:])
