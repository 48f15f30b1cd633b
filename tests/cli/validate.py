"""Holds documents against a JSON schema: validate.py SCHEMA FILE...

The schema itself is checked first. A member that it does not describe is an error here, though users have
to expect some of later versions. Prints what is wrong; status 1 if anything is.
"""
import json
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


def main(schema_path, paths):
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    kind = jsonschema.validators.validator_for(schema)
    assert kind is jsonschema.Draft202012Validator, kind
    kind.check_schema(schema)
    names = combined(schema, set())
    close(schema, {id(schema["$defs"][name.split("/")[-1]]) for name in names})
    validator = kind(schema)
    bad = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            try:
                document = json.load(file)
            except ValueError as error:
                print(f"{path}: not JSON: {error}")
                bad = 1
                continue
        for error in validator.iter_errors(document):
            print(f"{path}: {error.json_path}: {error.message[:300]}")
            bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
