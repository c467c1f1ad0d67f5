"""Made by generate.py: the declarations of the public headers, for cffi."""
from typing import Any

ffi: Any
