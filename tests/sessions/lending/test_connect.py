from __future__ import annotations

import json
import os
import stat
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.errors import StoreError
from sessions.lending import entry
from sessions.lending.block import MARKDOWN, TOML, block_of, with_block, without_block
from sessions.lending.connect import connecting
from sessions.lending.diff import diff
from sessions.lending.made import Record
from sessions.lending.parts import JsonHook, JsonServer
from tests.sessions.lending.desk import CLIENTS, PROGRAM, Desk
from tests.sessions.lending.test_json_edit import documents

each = pytest.mark.parametrize("client", CLIENTS)
both = pytest.mark.parametrize("folder", [False, True])


@each
@both
def test_on_an_empty_machine_it_is_registered_once_and_undoing_leaves_nothing(desk: Desk, client, folder) -> None:
    before = desk.files()
    desk.connect(client, folder=folder)
    after = desk.files()
    assert after != before
    assert desk.connect(client, folder=folder).changes == [] and desk.files() == after
    desk.undo(client, folder=folder)
    assert desk.files() == before
    assert desk.undo(client, folder=folder).changes == []


MANY = {
    "empty": b"",
    "blank": b"\n  \n",
    "brackets": b"{}",
    "open": b"{\r\n}",
    "servers": b'{\n    "a": 1,\n    "mcpServers": {\n        "x": {"command": "y"}\n    }\n}\n',
    "no servers": b'{"mcpServers":{}}',
    "comments": b'// mine\n{\n  "permissions": {}, // all\n  /* none */ "hooks": {\n    // yet\n  },\n}',
    "hooks": b'\xef\xbb\xbf{\r\n\t"hooks": {\r\n\t\t"SessionStart": [\r\n\t\t\t{"hooks": []}\r\n\t\t]\r\n\t}\r\n}',
}


@pytest.mark.parametrize("text", MANY.values(), ids=MANY.keys())
@both
def test_json_files_are_as_before_once_it_is_undone(desk: Desk, text, folder) -> None:
    for name in ("ada/.claude.json", "ada/.claude/settings.json", "ada/.cursor/mcp.json"):
        desk.write(name, text)
    for name in ("atlas/.mcp.json", "atlas/.claude/settings.json", "atlas/.cursor/mcp.json"):
        desk.write(name, text)
    before = desk.files()
    for client in ("claude-code", "cursor"):
        desk.connect(client, folder=folder)
        assert desk.connect(client, folder=folder).changes == []
    for place in desk.places("claude-code", folder):
        assert place.part.find(place.path.read_bytes().decode("utf-8-sig")).state == "same"
    for client in ("claude-code", "cursor"):
        desk.undo(client, folder=folder)
    assert desk.files() == before


TEXTS = ["", "\n", "a", "a\n", "a\n\n", "a\r\n", "a\r\nb", "# Rules\n\n- be kind\n", "\ufeff# Rules\r\n", "a\r"]


@pytest.mark.parametrize("text", TEXTS)
@both
def test_text_files_are_as_before_once_it_is_undone(desk: Desk, text, folder) -> None:
    for name in ("ada/.claude/CLAUDE.md", "ada/.codex/AGENTS.md", "atlas/CLAUDE.md", "atlas/AGENTS.md"):
        desk.write(name, text)
    toml = text.replace("- be kind", "").replace("a", "a = 1").replace("b", "b = 2")
    if not toml.endswith("\r"):
        for name in ("ada/.codex/config.toml", "atlas/.codex/config.toml"):
            desk.write(name, toml)
    before = desk.files()
    for client in ("claude-code", "codex"):
        desk.connect(client, folder=folder)
        assert desk.connect(client, folder=folder).changes == []
    for client in ("claude-code", "codex"):
        desk.undo(client, folder=folder)
    assert desk.files() == before


@given(st.text(alphabet="ab\r\n", max_size=12), st.sampled_from([MARKDOWN, TOML]))
def test_a_block_goes_as_it_came(text, marks) -> None:
    new = with_block(text, marks, "one\ntwo")
    assert block_of(new, marks) == "one\ntwo" and with_block(new, marks, "one\ntwo") == new
    assert without_block(new, marks) == text
    assert without_block(new + "\nmine\n", marks).endswith("mine\n")


@given(documents(), st.booleans())
def test_any_settings_file_is_as_before_once_the_hook_and_the_server_are_out(text, hook) -> None:
    value = {"command": PROGRAM, "args": ["mcp"]}
    part = JsonHook(entry.hook(PROGRAM, entry.usual_home())) if hook else JsonServer(value)
    try:
        new, made = part.put(text)
    except Exception as e:
        assert type(e).__name__ == "Unfit"
        return
    assert part.find(new).state == "same" and part.take(new, made) == text


def test_what_is_written_for_each_client(desk: Desk) -> None:
    desk.connect("claude-code")
    server = json.loads((desk.root / "ada/.claude.json").read_bytes())["mcpServers"]["memagent"]
    args = ["mcp", "--home", str(desk.paths.root)]
    assert server == {"type": "stdio", "command": PROGRAM, "args": args}
    hooks = json.loads((desk.root / "ada/.claude/settings.json").read_bytes())["hooks"]["SessionStart"]
    command = f'"{PROGRAM}" context --home "{desk.paths.root}"'
    assert hooks == [
        {
            "matcher": "startup|resume|clear|compact",
            "hooks": [{"type": "command", "command": command, "timeout": 10}],
        }
    ]
    desk.connect("codex", folder=True)
    config = tomllib.loads((desk.root / "atlas/.codex/config.toml").read_text())
    folder = str(desk.root / "atlas")
    assert config == {"mcp_servers": {"memagent": {"command": PROGRAM, "args": [*args, "--folder", folder]}}}
    for file in ("ada/.claude/CLAUDE.md", "atlas/AGENTS.md"):
        lines = (desk.root / file).read_text().splitlines()
        assert lines[0] == "<!-- memagent-tui:begin -->" and lines[-1] == "<!-- memagent-tui:end -->"
        assert all(any(tool in line for line in lines) for tool in ("recall_memory", "search_history", "save_memory"))
        assert not any(line.startswith("-") for line in lines)
    desk.connect("cursor", folder=True)
    assert (desk.root / "atlas/.cursor/rules/memagent.mdc").read_text().startswith("---\ndescription: ")
    assert entry.server(PROGRAM, entry.usual_home(), None)["args"] == ["mcp"]


def test_the_variables_of_the_clients_count(desk: Desk) -> None:
    desk.environ |= {"CLAUDE_CONFIG_DIR": f"{desk.root}/one,{desk.root}/two", "CODEX_HOME": f"{desk.root}/three"}
    before = desk.files()
    desk.connect("claude-code")
    desk.connect("codex")
    made = set(desk.files()) - set(before)
    assert {"one/.claude.json", "one/CLAUDE.md", "one/settings.json", "three/config.toml", "three/AGENTS.md"} <= made
    assert not any(name.startswith(("ada/", "two")) for name in made)
    older = desk.write("one/.config.json", "{}")
    desk.undo("codex")
    desk.connect("claude-code")
    assert "memagent" in older.read_text(), "an older Claude Code keeps its servers there"


def test_codex_reads_the_override_in_place_of_agents_md(desk: Desk) -> None:
    desk.write("ada/.codex/AGENTS.md", "usual\n")
    desk.connect("codex")
    override = desk.write("ada/.codex/AGENTS.override.md", "instead\n")
    desk.connect("codex")
    assert MARKDOWN[0] in override.read_text()
    desk.undo("codex")
    assert override.read_text() == "instead\n" and (desk.root / "ada/.codex/AGENTS.md").read_text() == "usual\n"


def test_edits_by_hand_in_between_stay(desk: Desk) -> None:
    before = desk.write("ada/.claude.json", '{\n  "a": 1\n}\n').read_text()
    desk.connect("claude-code")
    path = desk.root / "ada/.claude.json"
    rewritten = json.loads(path.read_text()) | {"b": 2}
    rewritten["mcpServers"]["theirs"] = {"command": "x"}
    path.write_text(json.dumps(rewritten, indent=4))
    notes = desk.root / "ada/.claude/CLAUDE.md"
    notes.write_text("Mine, before.\n\n" + notes.read_text() + "\nMine, after.\n")
    settings = desk.root / "ada/.claude/settings.json"
    settings.write_text(settings.read_text().replace('{\n  "hooks"', '{\n  // why\n  "model": "x",\n  "hooks"'))
    desk.undo("claude-code")
    assert json.loads(path.read_text()) == {**json.loads(before), "mcpServers": {"theirs": {"command": "x"}}, "b": 2}
    assert notes.read_text() == "Mine, before.\n\nMine, after.\n"
    assert settings.read_text() == '{\n  // why\n  "model": "x"\n}\n'


def test_a_file_written_anew_by_its_program_loses_only_our_entry(desk: Desk) -> None:
    desk.write("ada/.claude.json", '{"a": 1, "mcpServers": {}}')
    desk.connect("claude-code")
    path = desk.root / "ada/.claude.json"
    path.write_text(json.dumps(json.loads(path.read_text()), indent=2))
    desk.undo("claude-code")
    assert path.read_text() == '{\n  "a": 1,\n  "mcpServers": {}\n}'


def test_what_of_ours_was_changed_by_hand_stays_unless_that_is_wanted(desk: Desk) -> None:
    before = desk.files()
    desk.connect("claude-code")
    desk.connect("codex")
    for name, old, new in (
        ("ada/.claude.json", '"mcp",', '"mcp", "--all-folders",'),
        ("ada/.claude/CLAUDE.md", "The user", "Dr. Ada"),
        ("ada/.claude/settings.json", '"timeout": 10', '"timeout": 99'),
        ("ada/.codex/config.toml", "args", "enabled = false\nargs"),
    ):
        path = desk.root / name
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))
    edited = desk.files()
    plan = desk.undo("claude-code")
    assert plan.changes == [] and desk.files() == edited
    assert [text.split(",")[0] for text in plan.kept] == [
        str(desk.root / name) for name in ("ada/.claude.json", "ada/.claude/CLAUDE.md", "ada/.claude/settings.json")
    ]
    assert "line 3: the entry of the server is there already, changed by hand" in plan.kept[0]
    with pytest.raises(StoreError, match=r"line 3: the entry of the server is there already.*nothing was changed"):
        desk.connect("claude-code")
    with pytest.raises(StoreError, match=r"config\.toml, line 1: the entry"):
        desk.connect("codex")
    assert len(desk.undo("codex").kept) == 1
    desk.undo("claude-code", edited=True)
    desk.undo("codex", edited=True)
    assert desk.files() == before


def test_a_table_of_our_name_that_the_person_wrote_is_not_touched(desk: Desk) -> None:
    for text in ('[mcp_servers.memagent]\ncommand = "x"\n', 'mcp_servers = {memagent = {command = "x"}}\n'):
        path = desk.write("ada/.codex/config.toml", text)
        with pytest.raises(StoreError, match=r"line 1: the entry of the server is there already"):
            desk.connect("codex")
        assert desk.undo("codex", edited=True).changes == [] and path.read_text() == text
    path.write_text('mcp_servers = {x = {command = "x"}}\n')
    with pytest.raises(StoreError, match=r"no further table .*line 1\)"):
        desk.connect("codex")
    assert not (desk.root / "ada/.codex/AGENTS.md").exists(), "nothing is written when a part cannot be"


def test_another_place_of_the_program_takes_the_place_of_the_old_one(desk: Desk) -> None:
    before = desk.files()
    for client in CLIENTS:
        desk.connect(client, program="/old/memagent-tui")
        assert desk.connect(client).changes
        assert desk.connect(client).changes == []
    texts = [path.read_text() for path in (desk.root / "ada").rglob("*") if path.is_file()]
    assert not any("/old/" in text for text in texts) and sum(text.count(PROGRAM) for text in texts) == 4
    for client in CLIENTS:
        desk.undo(client)
    assert desk.files() == before


def test_a_hook_that_stands_beside_others_by_hand_is_taken_out_of_their_midst(desk: Desk) -> None:
    other = '{"type": "command", "command": "echo hi"}'
    ours = '{"type": "command", "command": "\\"/x/memagent-tui\\" context"}'
    text = '{"hooks": {"SessionStart": [{"hooks": [' + f"{other}, {ours}" + "]}]}}"
    desk.write("ada/.claude/settings.json", text)
    assert "by hand" in desk.connect("claude-code").kept[0]
    desk.undo("claude-code", edited=True)
    assert (desk.root / "ada/.claude/settings.json").read_text() == text.replace(f", {ours}", "")


def test_modes_stay_and_links_stay_links(desk: Desk) -> None:
    real = desk.write("dotfiles/claude.json", "{}")
    real.chmod(0o640)
    (desk.root / "ada/.claude.json").symlink_to(real)
    desk.connect("claude-code")
    assert "memagent" in real.read_text() and stat.S_IMODE(real.stat().st_mode) == 0o640
    made = desk.root / "ada/.claude/settings.json"
    assert stat.S_IMODE(made.stat().st_mode) == 0o600 and stat.S_IMODE(made.parent.stat().st_mode) == 0o700
    mask = os.umask(0o022)
    try:
        desk.connect("claude-code", folder=True)
    finally:
        os.umask(mask)
    assert stat.S_IMODE((desk.root / "atlas/.mcp.json").stat().st_mode) == 0o644
    desk.undo("claude-code")
    assert real.read_text() == "{}" and (desk.root / "ada/.claude.json").is_symlink()


def test_without_the_record_nothing_of_ours_is_left_but_an_empty_object(desk: Desk) -> None:
    for client in ("claude-code", "codex"):
        desk.connect(client)
    (desk.paths.local / "connected.json").write_text("[broken")
    for client in ("claude-code", "codex"):
        desk.undo(client)
    left = {name: data for name, data in desk.files().items() if data is not None}
    assert left.keys() == {"ada/.claude.json", "ada/.claude/settings.json"}
    assert json.loads(left["ada/.claude.json"]) == {"mcpServers": {}}


def test_the_diff_shows_the_lines_around_and_of_a_long_line_what_is_different(desk: Desk) -> None:
    lines = [f'  "k{i}": {i},' for i in range(50)]
    desk.write("ada/.cursor/mcp.json", "\n".join(["{", *lines, '  "z": 0', "}"]))
    (change,) = connecting(desk.places("cursor", False), Record(desk.paths)).changes
    shown = diff(change)
    assert shown[0].startswith("--- /") and shown[2].startswith("@@ -49,5 +49,") and '+  "z": 0,' in shown
    assert len(shown) < 30 and shown[-1] == "\\ No newline at end of file"
    desk.write("ada/.cursor/mcp.json", json.dumps({"key": "x" * 5000}))
    (change,) = connecting(desk.places("cursor", False), Record(desk.paths)).changes
    shown = diff(change)
    assert all(len(line) < 500 for line in shown[3:])
    (added,) = [line for line in shown if line.startswith("+…")]
    entry = json.loads(change.after or b"")["mcpServers"]
    assert json.dumps(entry)[1:-1] in added, "all that is agreed to"
    around = {"a": ["x" * 3000], "z": "y" * 3000}
    desk.write("ada/.claude/settings.json", json.dumps(around))
    changes = connecting(desk.places("claude-code", False), Record(desk.paths)).changes
    (change,) = (c for c in changes if c.path.name == "settings.json")
    (added,) = [line for line in diff(change) if line.startswith("+") and not line.startswith("+++")]
    (hook,) = json.loads(change.after or b"")["hooks"]["SessionStart"]
    assert json.dumps(hook["hooks"][0]["command"]) in added and len(added) < 1_500


@pytest.mark.parametrize(
    ("entry_", "ours"),
    [
        ({"command": "/a/memagent-tui", "args": ["mcp"]}, True),
        ({"type": "stdio", "command": "/a/memagent-tui", "args": ["mcp", "--folder", "/x", "--home", "/y"]}, True),
        ({"command": "/a/memagent-tui", "args": ["mcp", "--profile", "x"]}, False),
        ({"command": "/a/memagent-tui", "args": ["mcp", "--all-folders"]}, False),
        ({"command": "/a/memagent-tui", "args": ["mcp"], "env": {}}, False),
        ({"command": "npx", "args": ["mcp"]}, False),
        ({"command": "/a/memagent-tui", "args": "mcp"}, False),
        (3, False),
    ],
)
def test_an_entry_is_ours_when_connect_could_have_written_it(entry_, ours) -> None:
    assert entry.made_server(entry_) == ours
