"""Identity of algorithms of one's own: a label for tables, and a hash of code and attributes for run ids.

The hash covers the code of the class and all that it uses, installed packages by name and version, other modules by their files and
those that these import, also inside functions. It does not cover what only a call shows, such as files that it reads, modules whose names
it makes, or generators without a seed. Objects that cannot be compared get a hash of their own at every call.
"""

from __future__ import annotations

import contextlib
import copyreg
import dis
import functools
import hashlib
import importlib.machinery
import importlib.metadata
import importlib.util
import inspect
import itertools
import os
import pathlib
import sys
import sysconfig
import types
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

_HEAP = 1 << 9
"""The flag of classes that are made at run time."""
_SHOWN = 40
"""The longest value that a label shows."""
_LIBRARIES = tuple({os.path.realpath(sysconfig.get_path(name)) + os.sep for name in ("stdlib", "platlib", "purelib")})
"""The directories of installed packages, whose code is known by its name."""


def label(own: object) -> str:
    """Returns the name of the class of an object with the arguments of its constructor: `Aging(weight=2.0)`.

    If the class has a function `spec`, its value stands in place of the arguments.
    """
    spec = getattr(own, "spec", None)
    if callable(spec):
        return f"{type(own).__name__}({_listed(spec())})"
    arguments = getattr(own, "_arguments", {})
    return f"{type(own).__name__}({_listed(arguments)})" if arguments else type(own).__name__


def _listed(given: Any) -> str:
    """Returns values as a call has them; a value that is long, or an address, is left to the hash."""
    if not isinstance(given, dict):
        return str(given)
    texts = {key: repr(value) for key, value in given.items() if not isinstance(value, (set, frozenset))}
    return ", ".join(f"{key}={text}" for key, text in texts.items() if len(text) <= _SHOWN and " at 0x" not in text and "\n" not in text)


def arguments(cls: type, given: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments of a constructor by their names, with defaults; empty if they do not fit it."""
    try:
        bound = inspect.signature(cls).bind(*given, **named)
    except (TypeError, ValueError):
        return {}
    bound.apply_defaults()
    return {name: value for name, value in bound.arguments.items() if not (isinstance(value, (tuple, dict)) and not value)}


def digest(own: object) -> str:
    """Returns the hash of an object: of the code of its class, of what this code uses, and of its attributes."""
    spec = getattr(own, "spec", None)
    state = spec() if callable(spec) else {**_slots(own), **vars(own)}
    parts = _parts([type(own), state], {})
    return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:12]


def _slots(own: object) -> dict[str, Any]:
    """Returns the attributes of an object that are in slots."""
    members = {name: member for cls in type(own).__mro__ for name, member in vars(cls).items()}
    slots = {name: member for name, member in members.items() if isinstance(member, types.MemberDescriptorType)}
    return {name: getattr(own, name) for name in sorted(slots) if hasattr(own, name)}


Seen = dict[int | str, tuple[int, Any]]
"""The values that were met, by their addresses, and the files of modules: each with its number."""


def _parts(value: Any, seen: Seen) -> Iterator[str]:
    """Goes through the texts that make up a value."""
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, type(Ellipsis))):
        yield f"{type(value).__name__} {value!r}"
        return
    if id(value) in seen:
        yield f"seen {seen[id(value)][0]}"
        return
    # The value is kept, so that its address stays its own.
    seen[id(value)] = (len(seen), value)
    for kind, parts in _KINDS:
        # A class that is derived from a container has code and attributes, too, which its pickle names.
        if isinstance(value, kind) and (type(value) is kind or kind not in (list, tuple, dict)):
            yield kind.__name__
            yield from parts(value, seen)
            return
    if hasattr(value, "__wrapped__"):
        yield from _parts(value.__wrapped__, seen)
    if callable(getattr(value, "tobytes", None)) and hasattr(value, "dtype"):
        yield f"array {value.dtype} {value.shape}"
        # The bytes of an array of objects are addresses.
        yield from _parts(value.tolist(), seen) if value.dtype.hasobject else [hashlib.sha256(value.tobytes()).hexdigest()]
        return
    try:
        # Modules register how to pickle some types, such as regular expressions.
        registered = copyreg.dispatch_table.get(type(value))
        reduced = registered(value) if registered else value.__reduce_ex__(4)
    except Exception:  # What cannot be pickled, such as a lock or a file, is equal to nothing else.
        yield uuid.uuid4().hex
        return
    if isinstance(reduced, str):
        yield f"{type(value).__module__} {reduced}"
        return
    made, *rest = reduced
    yield from _parts([None if getattr(made, "__module__", None) == "copyreg" else made, *rest[:2], *(list(each or ()) for each in rest[2:4])], seen)


def _all(values: Any, seen: Seen) -> Iterator[str]:
    """Goes through the values of a list, in their order."""
    yield str(len(values))
    for value in values:
        yield from _parts(value, seen)


def _unordered(values: Any, seen: Seen) -> Iterator[str]:
    """Goes through the values of a set, in an order that does not depend on the process."""
    yield from sorted(" ".join(_parts(value, dict(seen))) for value in values)


@functools.cache
def _version(name: str) -> str:
    """Returns the version of the package of a module, if it is installed under the name of the module."""
    package = name.partition(".")[0]
    with contextlib.suppress(Exception):  # Metadata may be missing or broken.
        return "" if package in sys.stdlib_module_names else importlib.metadata.version(package)
    return ""


def _is_library(name: str | None) -> bool:
    """Returns whether a module is installed, so that its name says which code it has."""
    module = sys.modules.get(name or "")
    if module is None or name == "__main__":
        return False
    return _is_installed(getattr(module, "__file__", None))


def _is_installed(file: str | None) -> bool:
    """Returns whether the file of a module is one of an installed package; modules without a file are Python's own."""
    return file is None or os.path.realpath(file).startswith(_LIBRARIES)


def _of_class(cls: type, seen: Seen) -> Iterator[str]:
    """Goes through the code and the attributes of a class and of its bases that are no library's."""
    yield cls.__qualname__
    for each in cls.__mro__:
        # A class that `exec` has made without a name of a module is of the module builtins, whose own are never on the heap.
        is_made = each.__module__ == "builtins" and each.__flags__ & _HEAP
        if each.__module__.startswith("meshreplay.") or (_is_library(each.__module__) and not is_made):
            yield f"{each.__module__} {each.__qualname__} {_version(each.__module__)}"
            continue
        for name, value in sorted(vars(each).items()):
            # Python keeps notes of its own in a class, some of them after the first copy of an object.
            is_note = name.startswith("__") and not isinstance(value, (types.FunctionType, classmethod, staticmethod))
            if not (is_note or name == "_abc_impl" or isinstance(value, types.MemberDescriptorType)):
                yield name
                yield from _parts(value, seen)


def _of_function(function: types.FunctionType, seen: Seen) -> Iterator[str]:
    """Goes through the code of a function, its defaults, what it encloses, and the globals that it uses."""
    if _is_library(function.__module__) and function.__module__ != "builtins":
        yield f"{function.__module__} {function.__qualname__} {_version(function.__module__)}"
        return
    parts: list[Any] = [function.__code__, function.__defaults__, function.__kwdefaults__, vars(function)]
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # A cell may be empty.
            parts.append(cell.cell_contents)
    yield from _parts(parts, seen)
    for name in sorted(_globals(function.__code__) & function.__globals__.keys()):
        yield name
        yield from _parts(function.__globals__[name], seen)
    yield from _of_imports(_imports(function.__code__, function.__globals__.get("__package__")), seen)


def _globals(code: types.CodeType) -> set[str]:
    """Returns the names of globals that code uses, also in functions inside it."""
    inner = [_globals(each) for each in code.co_consts if isinstance(each, types.CodeType)]
    return {str(each.argval) for each in dis.get_instructions(code) if each.opname in ("LOAD_GLOBAL", "LOAD_NAME")}.union(*inner)


def _of_builtin(function: Any, seen: Seen) -> Iterator[str]:
    """Names a function that is not written in Python, with its object if it is a method."""
    yield str(function.__qualname__)
    yield from _parts(function.__self__, seen)


def _of_code(code: types.CodeType, seen: Seen) -> Iterator[str]:
    """Goes through compiled code; comments and line numbers are no part of it."""
    counts = [code.co_flags, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount]
    handlers = getattr(code, "co_exceptiontable", b"")
    yield from _parts([code.co_code.hex(), code.co_names, code.co_varnames, code.co_freevars, code.co_consts, counts, handlers], seen)


def _of_module(module: types.ModuleType, seen: Seen) -> Iterator[str]:
    """Goes through the name of a module that is installed, and through the texts of any other and of those that it imports."""
    yield f"{module.__name__} {getattr(module, '__version__', '') or _version(module.__name__)}"
    if not _is_library(module.__name__) and getattr(module, "__file__", None):
        imports = yield from _of_file(str(module.__file__), module.__package__, seen)
        yield from _of_imports(imports, seen)


def _spec(name: str) -> importlib.machinery.ModuleSpec | None:
    """Returns where a module is, without importing it or the package that it is in; `None` if it is not there."""
    outer, _, _ = name.rpartition(".")
    if not outer:
        return importlib.util.find_spec(name)
    package = _spec(outer)
    places = list(package.submodule_search_locations or ()) if package else []
    # The last part of the name: for a whole one, Python looks for the outer package among the loaded modules, where it may be missing.
    return importlib.machinery.PathFinder.find_spec(name.rpartition(".")[2], places) if places else None


def _of_imports(names: Iterable[str], seen: Seen) -> Iterator[str]:
    """Goes through the modules that code imports, whether they are loaded or not, the packages that they are in, and what all these import."""
    waiting = [names]
    while waiting:
        for name in sorted({outer for each in waiting.pop() for outer in itertools.accumulate(each.split("."), "{}.{}".format)}):
            found = None
            with contextlib.suppress(ImportError, ValueError):  # A name may be of no module.
                found = _spec(name)
            if found is None or name.partition(".")[0] == "meshreplay":
                continue
            yield f"{name} {_version(name) if _is_installed(found.origin) else ''}"
            if found.origin and found.has_location and not _is_installed(found.origin):
                package = name if found.submodule_search_locations is not None else name.rpartition(".")[0]
                waiting.append((yield from _of_file(found.origin, package, seen)))


def _of_file(file: str, package: str | None, seen: Seen) -> Generator[str, None, set[str]]:
    """Goes through the text of a module. Returns the names of the modules that it imports, also inside functions; none a second time."""
    if file in seen:
        yield f"seen {seen[file][0]}"
        return set()
    seen[file] = (len(seen), None)
    text = pathlib.Path(file).read_bytes()
    yield hashlib.sha256(text).hexdigest()
    with contextlib.suppress(SyntaxError, ValueError):  # The import of such a module fails, which the text shows.
        return _imports(compile(text, file, "exec"), package) if file.endswith(".py") else set()
    return set()


def _imports(code: types.CodeType, package: str | None) -> set[str]:
    """Returns the names of the modules that code imports, also in functions inside it, and of what it takes from them."""
    names: set[str] = set()
    steps = [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
    module = ""
    for before, step in zip([*steps[:1] * 2, *steps], steps):
        if step.opname == "IMPORT_NAME":
            # The level of a relative import, the list of names and the import itself follow each other.
            module = "." * (before.argval if isinstance(before.argval, int) else 0) + step.argval
            names.add(module)
        elif step.opname == "IMPORT_FROM":
            names.add(module + ("" if module.endswith(".") else ".") + step.argval)
    with contextlib.suppress(ImportError):  # A relative import outside of a package fails when it runs.
        names = {importlib.util.resolve_name(name, package) for name in names}
    inner = [_imports(each, package) for each in code.co_consts if isinstance(each, types.CodeType)]
    return names.union(*inner)


_KINDS: list[tuple[type, Callable[[Any, Seen], Iterator[str]]]] = [
    (list, _all),
    (tuple, _all),
    (dict, lambda value, seen: _all([*value.items()], seen)),
    (types.MappingProxyType, lambda value, seen: _all([*value.items()], seen)),
    (set, _unordered),
    (frozenset, _unordered),
    (type, _of_class),
    (types.FunctionType, _of_function),
    (types.MethodType, lambda value, seen: _all([value.__func__, value.__self__], seen)),
    (types.BuiltinFunctionType, _of_builtin),
    (types.CodeType, _of_code),
    (types.ModuleType, _of_module),
    (property, lambda value, seen: _all([value.fget, value.fset], seen)),
    (classmethod, lambda value, seen: _parts(value.__func__, seen)),
    (staticmethod, lambda value, seen: _parts(value.__func__, seen)),
    (functools.partial, lambda value, seen: _all([value.func, value.args, value.keywords], seen)),
]
"""What is more than its pickle, with the function that goes through it."""
