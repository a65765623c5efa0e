from __future__ import annotations

from typing import Any

import pytest

from sessions.tools.base import Tool, ToolContext
from sessions.tools.registry import Registry, ToolArgumentError


async def run(arguments: dict[str, Any], context: ToolContext) -> str:
    return ""


SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "count": {"type": "integer", "minimum": 1, "maximum": 9},
        "kind": {"type": "string", "enum": ["user", "self"]},
        "related": {"type": "array", "items": {"type": "string"}},
        "sure": {"type": "boolean"},
        "part": {"type": ["number", "null"]},
    },
    "required": ["name"],
    "additionalProperties": False,
}
TOOL = Tool("save", "Saves.", SCHEMA, run, aliases={"key": "name"})
REGISTRY = Registry([TOOL, Tool("save", "Another.", {}, run)])


def check(**arguments: Any) -> dict[str, Any]:
    return REGISTRY.check(TOOL, arguments)


def test_tools_are_found_by_name_and_the_first_of_a_name_counts() -> None:
    assert [(s.name, s.description) for s in REGISTRY.specs()] == [("save", "Saves.")]
    assert REGISTRY.get("save") is TOOL and REGISTRY.get("nothing") is None


def test_old_names_and_values_that_came_as_text_are_taken() -> None:
    made = check(key="a", count="3", sure="true", part="1.5", related="one", kind=None)
    assert made == {"name": "a", "count": 3, "sure": True, "part": 1.5, "related": ["one"]}
    assert check(name=7, count=3.0) == {"name": "7", "count": 3}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "needs 'name'"),
        ({"name": "a", "count": "many"}, "count must be of type integer"),
        ({"name": "a", "count": 10}, "count must be at most 9"),
        ({"name": "a", "count": 0}, "count must be at least 1"),
        ({"name": "a", "count": 1e400}, "count must be of type integer"),
        ({"name": "a", "kind": "other"}, "kind must be one of user, self"),
        ({"name": "a", "related": [["x"]]}, "related[0] must be of type string"),
        ({"name": ["a"]}, "name must be of type string"),
        ({"name": "a", "colour": "red"}, "takes no argument 'colour'"),
    ],
)
def test_what_a_tool_does_not_take_is_said_with_what_it_takes(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ToolArgumentError) as error:
        REGISTRY.check(TOOL, arguments)
    assert said in str(error.value) and "name (string, required)" in str(error.value)
