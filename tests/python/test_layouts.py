"""The structs and enumerators that Python knows are those of the C compiler."""
import os
import subprocess

from case import BUILD, Case
from diamondtorre._abi import ffi

INCLUDE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "include")


class Layouts(Case):
    def test_as_compiled(self):
        wanted, lines = [], []
        for name in ffi.list_types()[0]:
            kind = ffi.typeof(name)
            if kind.kind == "enum":
                for word, number in kind.relements.items():
                    wanted.append(f"{word} {number}")
                    lines.append(f'printf("{word} %d\\n", (int){word});')
            if kind.kind != "struct" or kind.fields is None:
                continue
            wanted.append(f"{name} {ffi.sizeof(kind)}")
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
            for member, field in kind.fields:
                wanted.append(f"{name}.{member} {field.offset} {ffi.sizeof(field.type)}")
                lines.append(f'printf("{name}.{member} %zu %zu\\n", offsetof({name}, {member}), '
                             f"sizeof((({name} *)0)->{member}));")
        self.assertGreater(len(wanted), 200)  # of 20 structs and more
        with open(self.path("layouts.c"), "w") as source:
            source.write("#include <stdio.h>\n#include <torre/torre.h>\nint main(void)\n{\n%s\n}\n" % "\n".join(lines))
        subprocess.run(["cc", "-I", INCLUDE, self.path("layouts.c"), "-o", self.path("layouts")], check=True)
        self.assertEqual(subprocess.check_output([self.path("layouts")], text=True).split("\n")[:-1], wanted)

    def test_every_function_is_there(self):
        """Each function that a header declares can be called, in the library of the build."""
        shown = subprocess.check_output(["nm", "-D", "--defined-only", os.path.join(BUILD, "src", "libtorre.so")],
                                        text=True)
        names = {line.split()[2].partition("@")[0] for line in shown.splitlines() if " T " in line}
        library = ffi.dlopen(os.path.join(BUILD, "src", "libtorre.so"))
        self.assertGreater(len(names), 50)
        for name in names:
            self.assertEqual(ffi.typeof(getattr(library, name)).kind, "function", name)
