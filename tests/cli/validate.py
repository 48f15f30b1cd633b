"""Holds documents against a JSON schema: validate.py [--damage] SCHEMA FILE...

A FILE is a document, in YAML if it is called *.yaml, or, called *.lines, has one on each line. The schema
itself is checked first. A member that it does not describe is an error here, though users have to expect some
of later versions. Prints what is wrong; status 1 if anything is. With --damage each document, which is valid,
is broken at every place, and the schema has to refuse it: a member more in any object, one less of those
that it has to have, a value of another type.
"""
import json
import re
import sys

import jsonschema


def combined(schema, found):
    """Names of definitions whose members stand beside those of others, by allOf, then or else."""
    if isinstance(schema, dict):
        for key in ("allOf", "then", "else"):
            parts = schema.get(key, [])
            for part in parts if isinstance(parts, list) else [parts]:
                if isinstance(part, dict) and "$ref" in part:
                    found.add(part["$ref"])
        for part in schema.values():
            combined(part, found)
    elif isinstance(schema, list):
        for part in schema:
            combined(part, found)
    return found


def close(schema, keep):
    """Forbids members that are not described in every object but those of `keep`."""
    if isinstance(schema, dict):
        if id(schema) not in keep and "properties" in schema and "additionalProperties" not in schema:
            if schema.get("type") == "object":
                schema["unevaluatedProperties"] = False
        items = schema.get("items")
        if isinstance(items, dict) and "$ref" in items:
            items["unevaluatedProperties"] = False
        for part in schema.values():
            close(part, keep)
    elif isinstance(schema, list):
        for part in schema:
            close(part, keep)




def read_yaml(text):
    """By YAML 1.2, as far as numbers go: 1e-05 is one."""
    import yaml

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_implicit_resolver(
        "tag:yaml.org,2002:float", re.compile(r"^-?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?$"), list("-0123456789")
    )
    return yaml.load(text, Loader)


def documents(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".yaml"):
        return [read_yaml(text)]
    return [json.loads(part) for part in (text.splitlines() if path.endswith(".lines") else [text])]


def shortened(value):
    """Of lists of objects two, which say as much as all."""
    if isinstance(value, dict):
        return {name: shortened(part) for name, part in value.items()}
    if isinstance(value, list):
        return [shortened(part) for part in (value[:2] if value and isinstance(value[0], dict) else value)]
    return value


ANY = {("meta",), ("differences", "a"), ("differences", "b")}  # what may be anything, or has its own schema
FREE = {("sah_cost",), ("defaults",), ("assets", "options")}  # objects that need no member


def is_one(path, paths):
    return path[-1:] in paths or path[-2:] in paths


def places(value, path):
    """Every value in a document, as what it stands in, its name or number there, and a path without numbers."""
    for name in list(value) if isinstance(value, dict) else range(len(value)):
        below = path if isinstance(value, list) else path + (name,)
        if is_one(below, ANY):
            continue
        yield value, name, below
        if isinstance(value[name], (dict, list)):
            yield from places(value[name], below)


def kind_of(value):
    kinds = {dict: "object", list: "list", str: "text", bool: "truth", type(None): "null"}
    return kinds.get(type(value), "number")


OTHERS = {"text": "?", "number": -12.5, "object": {}, "list": [{}]}


class Damage:
    """Breaks documents of a schema; each kind of place once."""

    def __init__(self, validator):
        self.validator = validator
        self.tried = set()
        self.survived = []

    def is_new(self, *what):
        new = what not in self.tried
        self.tried.add(what)
        return new

    def break_object(self, document, part, path):
        part["not_described"] = {"not": ["described"]}
        if self.validator.is_valid(document):
            self.survived.append(f"{'.'.join(map(str, path))}: a member more")
        del part["not_described"]
        refused = False
        for name in list(part):
            value = part.pop(name)
            refused = refused or not self.validator.is_valid(document)
            part[name] = value
        if not refused and not is_one(path, FREE):
            self.survived.append(f"{'.'.join(map(str, path))}: any one member less")

    def break_value(self, document, part, name, path):
        value = part[name]
        refused = False
        for kind, other in OTHERS.items():
            if kind != kind_of(value):
                part[name] = other
                refused = refused or not self.validator.is_valid(document)
        part[name] = value
        if not refused:
            self.survived.append(f"{'.'.join(map(str, path))}: anything for {kind_of(value)}")

    def break_document(self, document):
        document = shortened(document)
        first = (str(document.get("verb", document.get("schema", ""))),)
        if self.is_new("object", first, frozenset(document)):
            self.break_object(document, document, first)
        for part, name, path in places(document, first):
            if self.is_new("value", path, kind_of(part[name])):
                self.break_value(document, part, name, path)
            if isinstance(part[name], dict) and self.is_new("object", path, frozenset(part[name])):
                self.break_object(document, part[name], path)


def closed_validator(schema_path):
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    kind = jsonschema.validators.validator_for(schema)
    assert kind is jsonschema.Draft202012Validator, kind
    kind.check_schema(schema)
    names = combined(schema, set())
    close(schema, {id(schema["$defs"][name.split("/")[-1]]) for name in names})
    return kind(schema)


def main(schema_path, paths, damage):
    validator = closed_validator(schema_path)
    damaged = Damage(validator)
    bad = 0
    for path in paths:
        try:
            found = documents(path)
        except ValueError as error:
            print(f"{path}: not JSON: {error}")
            bad = 1
            continue
        for document in found:
            errors = list(validator.iter_errors(document))
            for error in errors:
                print(f"{path}: {error.json_path}: {error.message[:300]}")
                bad = 1
            if damage and not errors:
                damaged.break_document(document)
    for line in damaged.survived:
        print(f"not refused: {line}")
        bad = 1
    if damage:
        print(f"{len(damaged.tried)} damages")
    return bad


if __name__ == "__main__":
    wants = sys.argv[1] == "--damage"
    arguments = sys.argv[2 if wants else 1 :]
    sys.exit(main(arguments[0], arguments[1:], wants))
