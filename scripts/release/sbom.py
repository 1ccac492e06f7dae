"""Prints a bill of materials (CycloneDX 1.6, JSON) of a package of this workspace.

It lists everything that is linked into the package, with versions and checksums of Cargo.lock. The same
sources give the same bytes: the serial number is a hash of the rest, and there is no time.
Usage: sbom.py [--package meshreplay] [--target TRIPLE]
"""

import json
import pathlib
import sys
import tomllib
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from licences import arguments, built_packages, metadata  # noqa: E402


def url(package):
    """Returns the package URL."""
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package, checksums):
    """Returns a package as CycloneDX describes it."""
    entry = {
        "type": "library",
        "bom-ref": url(package),
        "name": package["name"],
        "version": package["version"],
        "purl": url(package),
    }
    if package.get("license"):
        # Older packages write MIT/Apache-2.0, which SPDX does not have.
        expression = package["license"].replace(" / ", " OR ").replace("/", " OR ")
        entry["licenses"] = [{"expression": expression}]
    checksum = checksums.get((package["name"], package["version"]))
    if checksum:
        entry["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return entry


def main():
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    given = arguments()
    packages = built_packages(given.package, given.target)
    locked = tomllib.loads(pathlib.Path("Cargo.lock").read_text(encoding="utf-8"))["package"]
    checksums = {(entry["name"], entry["version"]): entry.get("checksum") for entry in locked}
    by_id = {package["id"]: package for package in packages}
    nodes = [node for node in metadata()["resolve"]["nodes"] if node["id"] in by_id]
    dependencies = [
        {
            "ref": url(by_id[node["id"]]),
            "dependsOn": sorted({url(by_id[below]) for below in node["dependencies"] if below in by_id}),
        }
        for node in nodes
    ]
    own = next(package for package in packages if package["name"] == given.package)
    root = {**component(own, checksums), "type": "application"}
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": root,
            "properties": [{"name": "target", "value": given.target}],
        },
        "components": [component(package, checksums) for package in packages if package is not own],
        "dependencies": sorted(dependencies, key=lambda entry: entry["ref"]),
    }
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(bill, sort_keys=True))
    print(json.dumps({**bill, "serialNumber": f"urn:uuid:{serial}"}, indent=2))


if __name__ == "__main__":
    main()
