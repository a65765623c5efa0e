from __future__ import annotations

import dataclasses
import stat

import pytest

from sessions import settings_file, settings_schema
from sessions.errors import StoreError, UsageError
from sessions.settings import Profile, Settings

WHOLE = """
[agent]
profile = "qwen"
max_steps = 4
tool_timeout_s = 5
system_prompt = "Be short."
start = "resume"
spend_limit = 2.5
discover = false

[profiles.qwen]
base_url = "http://127.0.0.1:11434/v1"
model = "qwen3:8b"
api_key_env = "QWEN_KEY"
context_window = 32768
temperature = 0
reasoning_effort = "low"
headers = {X-Team = "a"}
extra_body = {top_k = 20, nested = {on = true}}
timeout_s = 30
price_in = 0.1
price_out = 0.4

[profiles.rules]
type = "guide"

[memory]
mode = "read-only"
distill = "off"
inject = "all"
contents_tokens = 900
embedder = "qwen:embed"
worker = "qwen"

[history]
recap = "leave"
[import]
follow = true
keep = false
[context]
compact_at = 0
max_turns = 3
[weather]
geocoding_url = "http://127.0.0.1:1"
forecast_url = "http://127.0.0.1:2"
[tools]
off = ["get_weather"]
[approvals]
always = ["fs_read:*"]
[mcp.servers.files]
command = "mcp-files"
args = ["--root", "."]
env = {A = "b"}
[mcp.clients.codex]
save = "auto"
[ui]
theme = "light"
tool_detail = "full"
notify = false
animations = false
ascii = true
watch = "poll"
[keys]
history = "f3,ctrl+r"
"memory.mode" = ["ctrl+g"]
"""


def load(tmp_path, text: str | bytes = "", env=None, overrides=None) -> Settings:
    path = tmp_path / "config.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return settings_file.load(path, env or {}, overrides)


def test_every_setting_of_the_file_arrives_with_its_type(tmp_path):
    s = load(tmp_path, WHOLE)
    assert s.problems == ()
    assert (s.agent.profile, s.agent.max_steps, s.agent.tool_timeout_s, s.agent.start) == ("qwen", 4, 5.0, "resume")
    assert isinstance(s.agent.tool_timeout_s, float)
    assert s.profile() == Profile(
        "qwen",
        base_url="http://127.0.0.1:11434/v1",
        model="qwen3:8b",
        api_key_env="QWEN_KEY",
        context_window=32768,
        temperature=0.0,
        reasoning_effort="low",
        headers={"X-Team": "a"},
        extra_body={"top_k": 20, "nested": {"on": True}},
        timeout_s=30.0,
        price_in=0.1,
        price_out=0.4,
    )
    assert (s.profiles["rules"].type, s.profiles["rules"].model) == ("guide", "guide")
    assert dataclasses.astuple(s.memory) == ("read-only", "off", "all", 900, "qwen:embed", "qwen")
    assert (s.history.recap, s.imports.follow, s.imports.keep) == ("leave", True, False)
    assert (s.context.compact_at, s.context.max_turns) == (0.0, 3)
    assert s.weather.forecast_url == "http://127.0.0.1:2"
    assert (s.tools.off, s.approvals) == (("get_weather",), ("fs_read:*",))
    assert s.mcp_servers == {"files": {"command": "mcp-files", "args": ("--root", "."), "env": {"A": "b"}}}
    assert s.mcp_clients == {"codex": {"save": "auto"}}
    assert dataclasses.astuple(s.ui) == ("light", "full", False, False, True, "poll")
    assert s.keys == {"history": ("f3", "ctrl+r"), "memory.mode": ("ctrl+g",)}


def test_a_missing_or_empty_file_gives_the_defaults(tmp_path):
    missing = settings_file.load(tmp_path / "none.toml", {}, {})
    assert dataclasses.replace(missing, path=None) == Settings()
    assert dataclasses.replace(load(tmp_path), path=None) == Settings()
    assert missing.profile().type == "guide"


@pytest.mark.parametrize(
    ("text", "key", "line", "says"),
    [
        ('[memory]\nmod = "on"\n', "memory.mod", 2, "did you mean mode?"),
        ('[memroy]\nmode = "on"\n', "memroy", 1, "did you mean memory?"),
        ('# one\n\n[memory]\n  mode = "maybe"\n', "memory.mode", 4, "'maybe' is not one of on, read-only, off"),
        ("[agent]\nmax_steps = 0\n", "agent.max_steps", 2, "0 is not a whole number, at least 1"),
        ("[agent]\nmax_steps = true\n", "agent.max_steps", 2, "true is not a whole number"),
        ("[context]\ncompact_at = 1.5\n", "context.compact_at", 2, "1.5 is not a number from 0 to 1"),
        ('[ui]\nascii = "yes"\n', "ui.ascii", 2, "'yes' is not true or false"),
        ('[ui]\ntheme = "pink"\n', "ui.theme", 2, "dark, light, contrast"),
        ('[weather]\nforecast_url = "nowhere"\n', "weather.forecast_url", 2, "http://"),
        ('[profiles.a]\nmodel = "m"\nbase = "x"\n', "profiles.a.base", 3, "did you mean base_url?"),
        ('[profiles."a.b"]\nmodel = "m"\ntimeout_s = -1\n', "profiles.a.b.timeout_s", 3, "above 0"),
        ('[profiles]\na = "x"\n', "profiles.a", 2, "must be a table: [profiles.a]"),
        ('[agent]\nprofile = "gone"\n', "agent.profile", 2, "there is no profile 'gone'; there is only guide"),
        ("memory.mode = 3\n", "memory.mode", 1, "3 is not one of"),
        ("[keys]\nhistory = 3\n", "keys.history", 2, "3 is not a list of texts"),
        ('[mcp.server.x]\ncommand = "c"\n', "mcp.server", 1, "did you mean servers?"),
        ('[mcp.servers.x]\nargs = ["a"]\n', "mcp.servers.x", 1, "has neither command nor url"),
        ('[mcp.servers.x]\ncommand = "c"\nurl = "http://h"\n', "mcp.servers.x", 1, "has both command and url"),
        ('[mcp.servers.x]\ncommand = "c"\nargs = "a b"\n', "mcp.servers.x.args", 3, "'a b' is not a list of texts"),
        ('[mcp.servers.x]\nurl = "h"\n', "mcp.servers.x.url", 2, "begins with http://"),
        ('[mcp.servers.x]\ncommand = "c"\nenvs = {}\n', "mcp.servers.x.envs", 3, "did you mean env?"),
        ('[mcp.servers."a.b"]\ncommand = "c"\n', "mcp.servers.a.b", 1, "is not a name of letters"),
        ('[mcp.clients.x]\nsave = "never"\n', "mcp.clients.x.save", 2, "one of review, auto, off"),
        ("[tools]\noff = [1]\n", "tools.off", 2, "a list is not a list of texts"),
        ("memory = 3\n", "memory", 1, "must be a table: [memory]"),
    ],
)
def test_a_wrong_key_or_value_is_named_with_its_line_and_the_rest_works(tmp_path, text, key, line, says):
    s = load(tmp_path, text + "[history]\nrecap = 'leave'\n")
    assert [(p.key, p.line) for p in s.problems] == [(key, line)]
    assert says in s.problems[0].text
    assert s.history.recap == "leave"


@pytest.mark.parametrize(
    "line", ['base_url = "127.0.0.1:11434/v1"', 'baseurl = "x"', 'host = "http://127.0.0.1/v1"', 'type = "ollama"']
)
def test_a_profile_whose_address_was_not_understood_has_none_and_never_the_default_one(tmp_path, line):
    path = tmp_path / "config.toml"
    path.write_text(f'[profiles.a]\nmodel = "m"\n{line}\n[profiles.b]\nmodle = "m"\n')
    loaded = settings_file.load(path, {})
    assert loaded.profiles["a"].base_url == ""
    assert loaded.profiles["b"].base_url == "https://api.openai.com/v1"
    assert loaded.problems[0].line == 3


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[memory]\nmode = \n", 2),
        ("[memory]\nmode = 'on'\n[memory]\n", 3),
        (b"[memory]\n\n# \xff\n", 3),
        ("[memory", 1),
    ],
)
def test_a_file_that_is_not_toml_names_the_line_and_the_defaults_hold(tmp_path, text, line):
    s = load(tmp_path, text, {"MEMAGENT_MEMORY_MODE": "off"})
    assert [(p.key, p.line) for p in s.problems] == [(str(tmp_path / "config.toml"), line)]
    assert s.memory.mode == "off"
    assert s.history.recap == "manual"


def test_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path):
    s = load(tmp_path, b"\xef\xbb\xbf[memory]\r\nmode = 'off'\r\nmod = 1\r\n")
    assert s.memory.mode == "off"
    assert [p.line for p in s.problems] == [3]


def test_the_environment_beats_the_file_and_an_option_beats_both(tmp_path):
    file = '[memory]\nmode = "on"\n[profiles.a]\n[profiles.b]\n[profiles.c]\n[agent]\nprofile = "a"\n'
    env = {"MEMAGENT_MEMORY_MODE": "read-only", "MEMAGENT_PROFILE": "b", "MEMAGENT_UI_ASCII": "1", "HOME": "/"}
    s = load(tmp_path, file, env)
    assert (s.memory.mode, s.agent.profile, s.ui.ascii) == ("read-only", "b", True)
    s = load(tmp_path, file, env, {"memory.mode": "off", "agent.profile": "c", "keys.help": "f1,f12"})
    assert (s.memory.mode, s.agent.profile, s.keys["help"]) == ("off", "c", ("f1", "f12"))
    assert s.problems == ()


def test_a_wrong_variable_is_a_problem_and_the_file_holds(tmp_path):
    env = {"MEMAGENT_MEMORY_MODE": "maybe", "MEMAGENT_MEMORY_MODUS": "on", "MEMAGENT_AGENT_MAX_STEPS": "many"}
    s = load(tmp_path, '[memory]\nmode = "off"\n', env | {"MEMAGENT_HOME": "/x", "MEMAGENT_CLOCK": "2026"})
    assert s.memory.mode == "off"
    assert {p.key: p.text for p in s.problems} == {
        "MEMAGENT_MEMORY_MODE": "'maybe' is not one of on, read-only, off",
        "MEMAGENT_MEMORY_MODUS": "unknown; did you mean MEMAGENT_MEMORY_MODE?",
        "MEMAGENT_AGENT_MAX_STEPS": "'many' is not a whole number, at least 1",
    }


@pytest.mark.parametrize(
    ("key", "text", "says"),
    [
        ("memory.mode", "maybe", "one of on, read-only, off"),
        ("memory.mod", "on", "Did you mean mode?"),
        ("memori.mode", "on", "Did you mean memory.mode?"),
        ("agent.profile", "gone", "There is only guide"),
    ],
)
def test_a_wrong_option_is_refused_with_what_is_allowed(tmp_path, key, text, says):
    with pytest.raises(UsageError) as e:
        load(tmp_path, "", {}, {key: text})
    assert says in str(e.value)


def test_setting_a_value_keeps_comments_and_order(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text('# mine\n[ui]\ntheme = "light" # bright\n# ascii = 1\n\n# then\n[memory]\nmode = "on"\n')
    settings_file.set_value(path, "memory.mode", "off")
    settings_file.set_value(path, "ui.ascii", "true")
    settings_file.set_value(path, "context.compact_at", "0.5")
    settings_file.set_value(path, "tools.off", "a, b")
    settings_file.set_value(path, "keys.memory.mode", "ctrl+g,f9")
    text = path.read_text()
    assert text.startswith('# mine\n[ui]\ntheme = "light" # bright\n# ascii = 1\nascii = true\n')
    assert '# then\n[memory]\nmode = "off"\n' in text
    s = settings_file.load(path, {})
    assert (s.problems, s.context.compact_at, s.tools.off) == ((), 0.5, ("a", "b"))
    assert s.keys == {"memory.mode": ("ctrl+g", "f9")}


def test_a_file_made_by_a_change_is_private_and_its_folder_too(tmp_path):
    path = tmp_path / "etc" / "config.toml"
    settings_file.set_value(path, "memory.mode", "off")
    assert path.read_text() == '[memory]\nmode = "off"\n'
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_linked_config_stays_a_link(tmp_path):
    target = tmp_path / "dotfiles.toml"
    target.write_text("")
    (tmp_path / "config.toml").symlink_to(target)
    settings_file.set_value(tmp_path / "config.toml", "memory.mode", "off")
    assert (tmp_path / "config.toml").is_symlink()
    assert 'mode = "off"' in target.read_text()


def test_a_change_is_refused_for_a_wrong_value_and_for_a_broken_file(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text("[memory]\nmode = \n")
    with pytest.raises(UsageError, match="one of on, read-only, off"):
        settings_file.set_value(path, "memory.mode", "maybe")
    with pytest.raises(StoreError, match="line 2"):
        settings_file.set_value(path, "memory.mode", "off")
    assert path.read_text() == "[memory]\nmode = \n"


def test_taking_a_key_out_brings_its_default_back(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text('[memory]\nmode = "off" # gone with it\ninject = "all"\n')
    settings_file.unset(path, "memory.mode")
    settings_file.unset(path, "ui.theme")
    assert path.read_text() == '[memory]\ninject = "all"\n'


def test_a_profile_is_written_and_read_back(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text('[profiles.qwen] # local\nmodel = "old" # small\ntemperature = 1.0\n')
    made = Profile("qwen", base_url="http://127.0.0.1:1234/v1", model="qwen3:8b", headers={"X-A": "b"}, timeout_s=9)
    settings_file.save_profile(path, made, default=True)
    other = Profile("gpt 5.1", model="gpt-5", api_key_env="OPENAI_API_KEY")
    settings_file.save_profile(path, other)
    s = settings_file.load(path, {})
    assert s.problems == ()
    assert s.profile() == made
    assert s.profiles["gpt 5.1"] == other
    assert "[profiles.qwen] # local" in path.read_text()


def test_the_reference_names_every_setting_once_with_a_meaning():
    rows = settings_file.reference()
    assert {key for key, _, _ in rows} == set(settings_schema.MEANINGS)
    assert ("memory.mode", "on", "on, read-only (use, don't save) or off (one of on, read-only, off)") in rows
    assert all(meaning and "\n" not in meaning for _, _, meaning in rows)


def test_what_is_shown_holds_no_header_values(tmp_path):
    shown = settings_file.shown(load(tmp_path, WHOLE))
    assert shown["memory.mode"] == "read-only"
    assert shown["profiles.qwen.headers"] == {"X-Team": "…"}
    assert shown["keys.history"] == ("f3", "ctrl+r")
