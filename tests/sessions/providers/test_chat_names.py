"""Names of tools on their way to a service and back."""

from __future__ import annotations

import re

from sessions.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from sessions.providers.base import Request, ToolSpec
from sessions.providers.chat import ChatProvider
from sessions.providers.chat_names import Names
from sessions.providers.chat_request import messages
from sessions.settings import Profile
from tests.servers.asking import answer
from tests.servers.chat_server import ChatServer, calls

ALLOWED = re.compile(r"[a-zA-Z0-9_-]{1,64}")
LONG = "server." + "x" * 90
ODD = ["get_weather", "notes.create_page", "notes__create_page", "a.b__c", "a__b.c", LONG, f"{LONG}y", "fs.a/b", "é.ü"]


def test_no_two_are_sent_alike_and_each_comes_back() -> None:
    names = Names(ODD, said=["gone.tool", "notes.create_page", ""])
    sent = [names.sent(name) for name in ODD]
    assert len(set(sent)) == len(ODD) and all(map(ALLOWED.fullmatch, [*sent, names.sent("gone.tool"), names.sent("")]))
    assert [names.meant(name) for name in sent] == ODD
    assert sent[:1] + sent[2:3] == ["get_weather", "notes__create_page"], "what may be sent as it is, is"
    assert Names(ODD[:2]).sent("notes.create_page") == "notes__create_page"
    assert names.meant("fs.a/b") == "fs.a/b" and names.meant("gone__tool") == "gone__tool"
    assert names.sent(LONG) == Names([LONG]).sent(LONG), "whatever else is offered"


async def test_the_service_hears_one_and_the_agent_the_other() -> None:
    call = ToolCall("c1", "notes.create_page", {"title": "One"}, None, None)
    said = AssistantMessage("m2", "", 1, "", tool_calls=(call,), profile="p", model="m", stop="tool_calls")
    result = ToolMessage("m3", "", 1, "c1", "notes.create_page", "made One", True, 1)
    tool = ToolSpec("notes.create_page", "Makes a page", {"type": "object", "properties": {}})
    request = Request("", (UserMessage("m1", "", 1, "hi"), said, result), (tool,))
    with ChatServer() as server:
        server.script(calls(("notes__create_page", {})), calls(("notes.create_page", {})))
        provider = ChatProvider(Profile("p", base_url=server.url, model="m"), None)
        for _ in range(2):
            *_, end = await answer(provider, request)
            assert [call.name for call in end.calls] == ["notes.create_page"]
        await provider.close()
        body = server.requests[0]
        assert body["tools"][0]["function"]["name"] == "notes__create_page"
        assert body["messages"][-2]["tool_calls"][0]["function"]["name"] == "notes__create_page"
        assert server.problems == []
    assert messages(Request("", request.messages))[1]["tool_calls"][0]["function"]["name"] == "notes__create_page"
