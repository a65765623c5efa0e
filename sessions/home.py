"""One home folder and all that belongs to it: settings, facts, sessions, index, models."""

from __future__ import annotations

import dataclasses
import importlib
import os
import traceback
from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sessions.clock import Clock, from_environment, iso
from sessions.errors import UsageError
from sessions.paths import HomePaths, make_home, resolve_home
from sessions.providers.base import Provider
from sessions.settings import GUIDE, MemoryMode, Profile, Settings
from sessions.settings_file import load
from sessions.tools.base import ContextSource, Tool

if TYPE_CHECKING:
    from sessions.library import HomeMemory, HomeSessions
    from sessions.memory.meaning import FactMeanings
    from sessions.memory.store import FactStore
    from sessions.providers.embeddings import Choice
    from sessions.store.catalog import Catalog, Meta
    from sessions.store.index import Index
    from sessions.store.meanings import Embedder

_LIMITED = "(What the user said to models on their own machine was not searched: they have not shared it.)"


class Home:
    """Everything under one home folder, made when it is first asked for.

    `path` None = `$MEMAGENT_HOME`, else the per-user data folder. `overrides` are settings that beat the file and the
    environment: `{"memory.mode": "off"}`; `settings` are those that were read already. Creates the folders. Raises
    UsageError when the home cannot be used or an override is wrong.
    """

    def __init__(
        self,
        path: str | Path | HomePaths | None = None,
        *,
        settings: Settings | None = None,
        overrides: Mapping[str, str] | None = None,
        clock: Clock | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.paths = path if isinstance(path, HomePaths) else resolve_home(str(path) if path is not None else None)
        self.clock: Clock = clock or from_environment()
        self._env = os.environ if env is None else env
        self._overrides = dict(overrides or {})
        self._read = _stamp(self.paths.config)
        self.settings = settings or load(self.paths.config, self._env, self._overrides)
        make_home(self.paths)
        self._choice: Choice | None = None

    def reload_settings(self) -> Settings:
        """Read the settings again, after they were changed. Open sessions keep theirs."""
        self._read = _stamp(self.paths.config)
        self.settings = load(self.paths.config, self._env, self._overrides)
        return self.settings

    def renew_settings(self) -> str:
        """The same if their file was changed since they were read. Of one that cannot be read, as when somebody is in
        the middle of writing it, what is wrong is said once, and the settings stay; else the text is empty.
        """
        now = _stamp(self.paths.config)
        if now in (None, self._read):
            return ""
        self._read = now
        try:
            made = load(self.paths.config, self._env, self._overrides)
        except UsageError as error:  # it takes away what an option of the command line names
            return f"{error.message}; the settings from before hold"
        broken = next((problem for problem in made.problems if problem.key == str(self.paths.config)), None)
        if broken is not None:
            told = dataclasses.replace(broken, key=self.paths.config.name)
            return str(told).replace("the defaults hold", "the settings from before hold")
        self.settings = made
        return ""

    @cached_property
    def facts(self) -> FactStore:
        from sessions.memory.store import FactStore

        return FactStore(self.paths, self.clock)

    @cached_property
    def catalog(self) -> Catalog:
        from sessions.store.catalog import Catalog

        return Catalog(self.paths, self.clock)

    @cached_property
    def index(self) -> Index:
        from sessions.store.index import Index

        return Index(self.paths, self.clock, self._embedder)

    @cached_property
    def meanings(self) -> FactMeanings:
        """What the facts mean, where there is an embedder."""
        from sessions.memory.meaning import FactMeanings

        return FactMeanings(self.paths, lambda: self.index.questions)

    def learn(self) -> int:
        """Get some vectors for what was said and for facts that have none yet; how many are left to do, 0 without an
        embedder. Raises StoreError."""
        left = self.index.learn()
        if self.index.questions.embedder() is None or self.settings.memory.mode == "off":
            return left
        return left + self.meanings.learn(self.facts.snapshot().facts)

    def _embedder(self) -> Embedder | None:
        """What finds by meaning, as the settings say now."""
        wanted = self.settings.memory.embedder
        if wanted == "off":
            return None
        if self._choice is None or self._choice.settings is not self.settings:
            from sessions.providers.embeddings import Choice

            self._choice = Choice(self.settings)
        return self._choice.get()

    @cached_property
    def memory(self) -> HomeMemory:
        """Prompt and tools for another agent's loop."""
        from sessions.library import HomeMemory

        return HomeMemory(self)

    @cached_property
    def sessions(self) -> HomeSessions:
        """The conversations, for another agent's loop."""
        from sessions.library import HomeSessions

        return HomeSessions(self)

    def profile(self, name: str | None = None, model: str | None = None) -> Profile:
        """The named profile, else the chosen one, else the guide; `model` in place of its own. Raises UsageError."""
        try:
            profile = self.settings.profile(name)
        except KeyError as e:
            known = ", ".join([*self.settings.profiles, GUIDE])
            raise UsageError(f"There is no profile {e.args[0]!r}", f"Known are: {known}") from None
        return dataclasses.replace(profile, model=model) if model else profile

    def provider(self, profile: str | None = None, model: str | None = None) -> Provider:
        """A new connection to a model. Raises UsageError for an unknown profile, ProviderError without a key."""
        chosen = self.profile(profile, model)
        name = {"openai": "chat", "guide": "guide"}[chosen.type]
        make = importlib.import_module(f"sessions.providers.{name}").make
        return cast(Provider, make(chosen, self.clock))

    def sources(
        self,
        cwd: Path,
        mode: Callable[[], MemoryMode],
        *,
        private: bool = False,
        remote: Callable[[], bool] = lambda: False,
    ) -> list[ContextSource]:
        """What a session in `cwd` is told about the facts; `remote`: whether its model is on another machine now."""
        from sessions.tools.memory import MemorySource

        return [MemorySource(self.facts, self.settings.memory, mode, cwd, private, self.meanings, remote)]

    def tools(self, session: str, *, remote: Callable[[], bool] = lambda: False) -> list[Tool]:
        """The tools that know nothing of facts; `remote`: whether the session's model is on another machine now."""
        from sessions.tools.history import SearchScope, history_tool
        from sessions.tools.weather import weather_tool

        scope = SearchScope(lambda: self._elsewhere() if remote() else None, limited=_LIMITED)
        return [weather_tool(self.settings.weather), history_tool(self.index, session, scope)]

    def _elsewhere(self) -> Collection[str] | None:
        """The sessions of which a model on another machine may be told; None = all."""
        if self.settings.history.share == "any":
            return None
        metas = self.catalog.list()
        told = {meta.id for meta in metas if not self.stays_here(meta)}
        return told if len(told) < len(metas) else None

    def anything_stays(self, but: str) -> bool:
        """Whether there is something in other sessions than `but` that only models on this machine may see."""
        return any(meta.turns and meta.id != but and self.stays_here(meta) for meta in self.catalog.list())

    def share_history(self, share: bool) -> None:
        """Write into the settings whether models elsewhere may find what was told to those on this machine. Raises
        StoreError."""
        from sessions.settings_file import set_value

        set_value(self.paths.config, "history.share", "any" if share else "local")
        self.reload_settings()

    def stays_here(self, meta: Meta) -> bool:
        """Whether something was said in a session that only models on this machine may see."""
        from sessions.providers.service import Service

        if meta.share == "any" or meta.source is not None:
            return False
        if meta.here is not None:
            return meta.here
        profile = self.settings.profiles.get(meta.profile)
        return profile is None or Service(profile, None).local

    def files(self, cwd: Path, *, far: bool = False) -> list[Tool]:
        """The tools that read a session's folder, where the settings allow it; `far`: to a model elsewhere."""
        tools = self.settings.tools
        if not (tools.folders or tools.folders_here) or not self.files_allowed(cwd, far=far):
            return []
        from sessions.tools.workspace import Workspace, workspace_tools

        return workspace_tools(Workspace(cwd, self.paths.root))

    def files_allowed(self, cwd: Path, *, far: bool = False) -> bool | None:
        """Whether the agent may read the files of a folder, `far` with a model elsewhere; None for one in which it
        never may."""
        from sessions.tools.workspace import readable, too_wide

        tools = self.settings.tools
        return None if too_wide(cwd) else readable(cwd, tools.folders if far else tools.folders + tools.folders_here)

    def allow_files(self, cwd: Path, allowed: bool, *, far: bool = True) -> None:
        """Write into the settings whether they may be read, for good: by any model, or without `far` only by those on
        this machine. Raises StoreError."""
        from sessions.settings_edit import change
        from sessions.tools.workspace import readable

        self.reload_settings()
        for key, known, meant in (("folders", self.settings.tools.folders, far),
                                  ("folders_here", self.settings.tools.folders_here, not far)):  # fmt: skip
            folders = [f for f in known if allowed or not readable(cwd, (f,))]
            if allowed and meant and not readable(cwd, tuple(folders)):
                folders.append(str(cwd.resolve()))
            if folders != list(known):
                change(self.paths.config, f"tools.{key}", folders)
        self.reload_settings()

    def close(self) -> None:
        """Let go of the search index, if it was used; a later search takes it up again."""
        if "index" in self.__dict__:
            self.index.close()
        if "meanings" in self.__dict__:
            self.meanings.close()
        if self._choice is not None:
            self._choice.close()

    def report(self, error: BaseException) -> None:
        """Write a traceback to the log file; never raises."""
        text = f"{iso(self.clock.now())}\n{''.join(traceback.format_exception(error))}\n"
        try:
            fd = os.open(self.paths.log_file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(fd, text.encode(errors="replace"))
            finally:
                os.close(fd)
        except OSError:
            pass


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """What tells a changed file from the one before; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
