from __future__ import annotations

import logging
import socket
import subprocess
import sys
import traceback

import pytest

from sessions.clock import SystemClock
from sessions.errors import ProviderError
from sessions.providers.chat import ChatProvider, make
from sessions.settings import Profile
from tests.servers.asking import REQUEST, answer, failure
from tests.servers.chat_server import Pause, Reply, error, event, text

SECRET = "sk-very-secret-0123456789"


async def fails(profile: Profile, key: str | None = None) -> ProviderError:
    provider = ChatProvider(profile, key)
    try:
        return await failure(provider)
    finally:
        await provider.close()


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://127.0.0.1:11434/v1", "this machine"),
        ("http://localhost:1234/v1", "this machine"),
        ("http://[::1]:8000/v1", "this machine"),
        ("http://0.0.0.0:8000/v1", "this machine"),
        ("http://127.8.9.1/v1", "this machine"),
        ("http://models.localhost/v1", "this machine"),
        ("https://api.openai.com/v1", "api.openai.com"),
        ("http://192.168.1.7:8000/v1", "192.168.1.7"),
        ("https://localhost.evil.com/v1", "localhost.evil.com"),
        ("https://127.0.0.1.evil.com/v1", "127.0.0.1.evil.com"),
        ("https://user:pass@llm.example.org:444/v1?key=x", "llm.example.org"),
        ("http://127.0.0.1@evil.com/v1", "evil.com"),
    ],
)
def test_the_place_says_where_words_go(url, place):
    provider = make(Profile("p", base_url=url, model="m", context_window=None), SystemClock())
    assert (provider.place, provider.profile, provider.model, provider.context_window) == (place, "p", "m", 128_000)


def test_the_window_of_the_profile_counts():
    assert make(Profile("p", context_window=8192), SystemClock()).context_window == 8192


async def test_nothing_that_answers_names_the_address_and_what_to_start():
    port = free_port()
    e = await fails(Profile("p", base_url=f"http://127.0.0.1:{port}/v1", model="m"))
    assert e.message == f"Nothing answers at http://127.0.0.1:{port}/v1"
    assert e.advice == "Start the model server there, or correct base_url of [profiles.p]"
    assert e.retryable


async def test_an_unknown_host_is_named():
    e = await fails(Profile("p", base_url="https://no-such-host.invalid/v1", model="m"), "k")
    assert "no-such-host.invalid" in e.message


@pytest.mark.parametrize("url", ["http://", "http://[::1", "http://127.0.0.1:99999/v1", "http://exa mple/v1"])
async def test_an_address_that_is_none_is_a_sentence(url):
    e = await fails(Profile("p", base_url=url, model="m"), "k")
    assert "base_url of [profiles.p]" in e.advice


async def test_a_silence_longer_than_the_timeout_is_given_up(server):
    server.script(Reply([event({"role": "assistant"}), Pause()]))
    e = await fails(Profile("p", base_url=server.url, model="m", timeout_s=0.2))
    assert e.message == f"Silence for 0.2 s from {server.url}"
    assert "timeout_s of [profiles.p]" in e.advice


async def test_https_against_a_plain_server_is_said(server):
    e = await fails(Profile("p", base_url=server.url.replace("http:", "https:"), model="m"))
    assert e.message.startswith("No secure connection to https://127.0.0.1")


async def test_a_profile_without_a_model_is_refused_before_anything_is_sent(server):
    e = await fails(Profile("p", base_url=server.url))
    assert e.advice == "Set model of [profiles.p]"
    assert server.requests == []


async def test_the_key_of_the_named_variable_is_sent_and_only_there(server, monkeypatch):
    monkeypatch.setenv("MY_KEY", f" {SECRET}\n")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-1")
    for env, sent in (("MY_KEY", SECRET), (None, "none")):
        profile = Profile("p", base_url=server.url, model="m", api_key_env=env, headers={"X-Team": "blue"})
        provider = make(profile, SystemClock())
        await answer(provider)
        await provider.close()
        headers = {k.lower(): v for k, v in server.headers[-1].items()}
        assert headers["authorization"] == f"Bearer {sent}"
        assert headers["x-team"] == "blue"
        assert "openai-organization" not in headers
        assert "openai-project" not in headers
    assert "sk-other" not in str(server.headers)


@pytest.mark.parametrize("env", ["MY_KEY", None])
async def test_a_missing_key_names_the_variable_before_anything_is_sent(monkeypatch, env):
    monkeypatch.delenv("MY_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    e = await failure(make(Profile("p", model="m", api_key_env=env), SystemClock()))
    assert e.message == "No key for api.openai.com"
    assert e.advice == f"Set the variable {env or 'OPENAI_API_KEY'} to its key"


@pytest.mark.parametrize("status", [401, 403])
async def test_a_refused_key_names_the_variable_and_never_the_key(server, status):
    server.script(error(status, f"Incorrect API key provided: {SECRET}."))
    e = await fails(Profile("p", base_url=server.url, model="m", api_key_env="MY_KEY"), SECRET)
    assert e.message == f"127.0.0.1 refuses access ({status}): Incorrect API key provided: …"
    assert e.advice == "Check the key in the variable MY_KEY"


@pytest.mark.parametrize(
    "reply",
    [
        error(400, f"bad header {SECRET}"),
        error(500, f"bad header {SECRET}"),
        Reply([b'data: {"error": "bad %s"}\n\n' % SECRET.encode()]),
        Reply([f"<html>{SECRET}</html>".encode()]),
    ],
)
async def test_no_message_traceback_or_log_holds_a_secret(server, caplog, reply):
    caplog.set_level(logging.INFO)
    server.script(reply)

    async def no_sleep(seconds: float) -> None:
        server.script(reply)

    url = server.url.replace("//", f"//user:{SECRET}@") + f"?key={SECRET}"
    provider = ChatProvider(Profile("p", base_url=url, model="m", headers={"X-K": SECRET}), SECRET, sleep=no_sleep)
    with pytest.raises(ProviderError) as e:
        async for _ in provider.stream(REQUEST):
            pass
    await provider.close()
    assert SECRET not in "".join(traceback.format_exception(e.value))
    assert SECRET not in str(e.value) + repr(e.value)


@pytest.mark.parametrize("key", ["sk-ключ-secret", "sk-line\nbreak-secret"])
async def test_a_key_that_cannot_be_sent_is_said_without_it(server, key):
    e = await fails(Profile("p", base_url=server.url, model="m"), key)
    assert e.message == "The request to 127.0.0.1 could not be made: a header cannot be sent"
    assert "secret" not in "".join(traceback.format_exception(e))


async def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    server.script(text("Yes"))
    provider = ChatProvider(Profile("p", base_url=server.url, model="m"), None)
    assert (await answer(provider))[0] == "Yes"
    await provider.close()


def test_making_a_provider_imports_nothing_heavy():
    code = (
        "import sys; from sessions.clock import SystemClock; from sessions.settings import Profile;"
        "from sessions.providers.chat import make; make(Profile('p'), SystemClock()).place;"
        "print([m for m in ('openai', 'httpx', 'httpx2', 'pydantic', 'ssl') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() in {"[]", "['ssl']"}
