"""Prints the public interface of the Python package: a function, method, attribute or keyword on each line.

It reads the sources, so that nothing needs to be installed. tests/it/released.rs compares the lines with
those of the last release.
"""

import ast
import pathlib

PACKAGE = pathlib.Path(__file__).resolve().parents[1] / "python" / "meshreplay"
OPERATORS = {"__arrow_c_stream__", "__bool__", "__getitem__", "__iter__", "__len__", "__str__"}


def parsed(name):
    """Returns the definitions of a module by their names."""
    path = PACKAGE / f"{name}.py"
    tree = ast.parse((path if path.exists() else path.with_suffix(".pyi")).read_text(encoding="utf-8"))
    kinds = (ast.ClassDef, ast.FunctionDef)
    return {node.name: node for node in tree.body if isinstance(node, kinds)}


def function(name, node):
    """Returns the line of a function, a method or a property."""
    decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
    returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    if any(decorator.endswith("property") for decorator in decorators):
        return f"{name}{returned}"
    return f"{name}({ast.unparse(node.args)}){returned}"


def is_public(name):
    """Returns whether users may rely on a name. Constructors are not public: objects come from functions."""
    return name in OPERATORS or not name.startswith("_")


def class_lines(name, node):
    """Returns the lines of a class: the class with its bases, and its public members."""
    lines = [f"class {name}({', '.join(map(ast.unparse, node.bases))})"]
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and is_public(member.name):
            lines.append(function(f"{name}.{member.name}", member))
        elif isinstance(member, ast.AnnAssign) and is_public(ast.unparse(member.target)):
            value = f" = {ast.unparse(member.value)}" if member.value else ""
            lines.append(f"{name}.{ast.unparse(member.target)}: {ast.unparse(member.annotation)}{value}")
    return lines


def main():
    """Prints what `__init__.py` exports, and the keywords of options."""
    modules = {}
    for node in ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            modules |= {alias.name: node.module for alias in node.names}
    modules |= {name: "_options" for name in parsed("_options")}
    for name, module in sorted(modules.items()):
        node = parsed(module).get(name)
        if isinstance(node, ast.ClassDef):
            print("\n".join(class_lines(name, node)))
        else:
            print(function(name, node) if node else name)


if __name__ == "__main__":
    main()
