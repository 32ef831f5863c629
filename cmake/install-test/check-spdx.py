#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the bill of materials that scripts/sbom.py has written: part of the ctest `packages`.

 - It has what SPDX 2.3 demands of a document, a package and a relationship, in the right form.
 - Each relationship is between elements of the document, and each element is in one.
 - Each package has a package URL, a version and a licence. Licences are of SPDX's list.
 - The files beside it have the checksums that it says, and none of them is missing.
 - cmake/package/copyright names each component that is linked in.

With --prove it breaks each of these rules, and prints the breaks that it did not notice.

usage: check-spdx.py [--prove] FILE.spdx.json COPYRIGHT
"""
import copy
import hashlib
import json
import pathlib
import re
import sys

LICENSES = {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "GPL-2.0-only", "GPL-3.0-or-later", "ISC", "LGPL-2.1-or-later", "MIT",
            "OFL-1.1", "X11-distribute-modifications-variant", "Zlib", "blessing"}
EXCEPTIONS = {"LLVM-exception", "GCC-exception-3.1"}
ID = r"SPDXRef-[A-Za-z0-9.-]+"
# Member, and the form of its text.
DOCUMENT = {"spdxVersion": "SPDX-2\\.3", "dataLicense": "CC0-1\\.0", "SPDXID": "SPDXRef-DOCUMENT", "name": ".+",
            "documentNamespace": r"https://[^#\s]+"}
PACKAGE = {"SPDXID": ID, "name": ".+", "versionInfo": ".+", "downloadLocation": r"NOASSERTION|NONE|(git\+)?https?://\S+",
           "licenseConcluded": ".+", "licenseDeclared": ".+", "copyrightText": ".+",
           "supplier": r"NOASSERTION|(Organization|Person): .+"}
PURL = r"pkg:(deb/[\w.-]+|npm|github/[\w.-]+|generic)/[\w.%+-]+(@[\w.%~+-]+)?(\?arch=source)?"
KINDS = {"DESCRIBES", "CONTAINS", "STATIC_LINK", "DYNAMIC_LINK", "GENERATED_FROM"}
DIGITS = {"SHA256": 64, "SHA512": 128}


def licence_fault(expression):
    for part in expression.split(" OR "):
        name, _, exception = part.partition(" WITH ")
        if name not in LICENSES or (exception and exception not in EXCEPTIONS):
            return f"'{part}' is not a licence that check-spdx.py knows"
    return None


def form_faults(where, item, members):
    for name, form in members.items():
        if not isinstance(item.get(name), str):
            yield f"{where} has no {name}"
        elif not re.fullmatch(form, item[name]):
            yield f"{where}: {name} is '{item[name]}', which does not match {form}"


def faults(document, folder, copyright_text):
    yield from form_faults("the document", document, DOCUMENT)
    made = document.get("creationInfo", {})
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", made.get("created", "")):
        yield "creationInfo has no time in created"
    if not made.get("creators") or not all(re.fullmatch(r"(Person|Organization|Tool): .+", one) for one in made["creators"]):
        yield "creationInfo has no creators"
    ids, listed = [document.get("SPDXID")], set()
    for package in document.get("packages", []):
        where = f"package {package.get('name')}"
        ids.append(package.get("SPDXID"))
        yield from form_faults(where, package, PACKAGE)
        if package.get("filesAnalyzed") is not False:
            yield f"{where}: filesAnalyzed has to be false, as no files are listed"
        for member in ("licenseConcluded", "licenseDeclared"):
            if fault := licence_fault(package.get(member, "")):
                yield f"{where}: {fault}"
        purls = [one["referenceLocator"] for one in package.get("externalRefs", [])
                 if one.get("referenceCategory") == "PACKAGE-MANAGER" and one.get("referenceType") == "purl"]
        if len(purls) != 1 or not re.fullmatch(PURL, purls[0]):
            yield f"{where} has not one package URL: {purls}"
        for checksum in package.get("checksums", []):
            if not re.fullmatch(rf"[0-9a-f]{{{DIGITS.get(checksum.get('algorithm'), 0)}}}", checksum.get("checksumValue", "")):
                yield f"{where}: not a checksum: {checksum}"
        if name := package.get("packageFileName"):
            listed.add(name)
            file = folder / name
            if not file.exists() or hashlib.sha256(file.read_bytes()).hexdigest() != package["checksums"][0]["checksumValue"]:
                yield f"{where}: {file} is missing, or has another checksum"
    for file in folder.glob("tp-*"):
        if file.suffix in (".deb", ".rpm", ".xz") and not file.name.startswith("tp-recipes-") and file.name not in listed:
            yield f"{file.name} is not listed"
    if len(set(ids)) != len(ids):
        yield "two elements have one SPDXID"
    related, linked = set(), set()
    for relation in document.get("relationships", []):
        ends = relation.get("spdxElementId"), relation.get("relatedSpdxElement")
        if relation.get("relationshipType") not in KINDS or not set(ends) <= set(ids):
            yield f"not a relationship between elements: {relation}"
        related.update(ends)
        if relation.get("relationshipType") in ("STATIC_LINK", "CONTAINS"):
            linked.add(ends[1])
    for one in set(ids) - related:
        yield f"{one} is in no relationship"
    flat = " ".join(copyright_text.split())
    for package in document.get("packages", []):
        if package.get("SPDXID") in linked and not re.match(r"(lib)?tp|d3-|internmap", package.get("name", "")):
            for name in package.get("name", "").split(" and "):
                if not name or name not in flat:
                    yield f"cmake/package/copyright does not name {name}"


def prove(document, folder, copyright_text):
    def edited(edit):
        other = copy.deepcopy(document)
        edit(other)
        return other

    component = next(place for place, one in enumerate(document["packages"]) if one["name"] == "zstd")
    packed = next(place for place, one in enumerate(document["packages"]) if "packageFileName" in one)
    breaks = {f"no {name}": edited(lambda d, name=name: d.pop(name)) for name in (*DOCUMENT, "creationInfo", "relationships")}
    breaks |= {f"no {name} of a package": edited(lambda d, name=name: d["packages"][component].pop(name))
               for name in (*PACKAGE, "filesAnalyzed", "externalRefs")}
    breaks |= {
        "an unknown licence": edited(lambda d: d["packages"][component].update(licenseDeclared="Free")),
        "a wrong checksum": edited(lambda d: d["packages"][packed]["checksums"][0].update(checksumValue="0" * 64)),
        "a file that is not listed": edited(lambda d: d["packages"][packed].pop("packageFileName")),
        "one SPDXID twice": edited(lambda d: d["packages"].append(d["packages"][component])),
        "a component without a notice": edited(lambda d: d["packages"][component].update(name="libother")),
        "a relationship that leads nowhere": edited(lambda d: d["relationships"][0].update(relatedSpdxElement="SPDXRef-none")),
        "an unknown relationship": edited(lambda d: d["relationships"][0].update(relationshipType="IS")),
    }
    unnoticed = [what for what, broken in breaks.items() if not list(faults(broken, folder, copyright_text))]
    print(*(f"not noticed: {what}" for what in unnoticed), sep="\n", end="\n" if unnoticed else "")
    return unnoticed


def main():
    arguments = sys.argv[1:]
    proving = arguments[:1] == ["--prove"]
    if len(arguments) != 2 + proving:
        sys.exit("usage: check-spdx.py [--prove] FILE.spdx.json COPYRIGHT")
    file = pathlib.Path(arguments[-2])
    document, notices = json.loads(file.read_text()), pathlib.Path(arguments[-1]).read_text()
    if proving:
        return 1 if prove(document, file.parent, notices) else 0
    found = list(faults(document, file.parent, notices))
    print(*(f"{file.name}: {fault}" for fault in found), sep="\n", end="\n" if found else "")
    return 1 if found else 0


sys.exit(main())
