"""One browser tab as the server sees it: Streamlit's websocket protocol, spoken without a browser.

Written from `streamlit/proto` and from what Streamlit 1.67's own browser part does. Each message to the server brings
the values of all widgets on the page; the server answers with what is to be drawn, place by place. Fragments that
follow something are asked for again and again by a timer. Nothing is drawn and no file of the page (script, style,
font) is fetched: a hundred tabs cost little.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import NewSession
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from tools.load_test_page import Page
from tools.load_test_widgets import Widget

PATIENCE = 60.0
"""Seconds after which a run of the script counts as lost."""
LOCAL = "127.0.0.1"


class BrokenTab(RuntimeError):
    """What went wrong in a tab, in one sentence."""


@dataclass
class _Awaited:
    """A run that this tab asked for: of the page, or of the named fragment. `run` is its id once it has begun."""

    fragment: str
    began: float
    done: asyncio.Future[float]
    run: str | None = None


@dataclass
class Tab:
    """What a tab holds. Made by `open_tab`.

    Attributes:
        page: what stands on it.
        pages: the app's pages, address to hash; `open` is the hash of the one that is open.
        polls: reruns of fragments that a timer asked for.
        fault: what went wrong; everything asked for after that fails.
    """

    connection: ClientConnection
    page: Page = field(default_factory=Page)
    pages: dict[str, str] = field(default_factory=dict)
    open: str = ""
    query: str = ""
    polls: int = 0
    fault: str | None = None
    _timers: dict[str, tuple[float, asyncio.Task[None]]] = field(default_factory=dict)
    _awaited: _Awaited | None = None
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    async def visit(self, address: str, query: str = "") -> float:
        """Open a page of the app, as its links do, and give the seconds until it was drawn.

        Raises:
            BrokenTab: when something goes wrong; so do all others here.
        """
        self.close()
        self.page.turn()
        self.query = query
        if not self.pages:
            return await self._act("", address)
        if address not in self.pages:
            raise BrokenTab(f"The app has no page {address!r}.")
        self.open = self.pages[address]
        return await self._act("")

    async def set(self, widget: Widget, value: Any) -> float:
        """Move a widget; the seconds until what depends on it was drawn. `value` is of the widget's own type."""
        self.page.values[widget.id] = widget.state(value)
        return await self._act(widget.fragment)

    async def press(self, widget: Widget) -> float:
        """Press a button; the seconds until what came of it was drawn."""
        return await self._act(widget.fragment, trigger=WidgetState(id=widget.id, trigger_value=True))

    async def answer(self, component: str, values: dict[str, object]) -> float:
        """Say what a component's own script would say; the seconds until what depends on it was drawn."""
        place = self.page.component(component)
        if place is None:
            raise BrokenTab(f"The component {component!r} is not on the page.")
        self.page.values[place.element.id] = WidgetState(id=place.element.id, json_value=json.dumps(values))
        return await self._act(place.fragment)

    async def until(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Wait until the page is as wanted; False where that takes longer."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not condition():
                    self._news.clear()
                    self._check()
                    await self._news.wait()
                return True
        return False

    async def listen(self) -> None:
        """Take what the server sends, until the connection ends."""
        try:
            async for data in self.connection:
                if isinstance(data, bytes):
                    self._take(ForwardMsg.FromString(data))
            self._fail("The server closed the connection.")
        except WebSocketException as error:
            self._fail(f"The connection broke: {type(error).__name__}.")

    def close(self) -> None:
        """Stop the timers."""
        for fragment in list(self._timers):
            self._stop(fragment)

    async def _act(self, fragment: str, name: str = "", trigger: WidgetState | None = None) -> float:
        self._check()
        awaited = _Awaited(fragment, perf_counter(), asyncio.get_running_loop().create_future())
        self._awaited = awaited
        await self._send(fragment, name, trigger)
        try:
            return await asyncio.wait_for(awaited.done, PATIENCE)
        except TimeoutError:
            raise BrokenTab(f"A run of the page had not ended after {PATIENCE:g} s.") from None

    async def _send(
        self, fragment: str = "", name: str = "", trigger: WidgetState | None = None, timer: bool = False
    ) -> None:
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.page_script_hash, state.page_name = self.query, self.open, name
        state.fragment_id, state.is_auto_rerun = fragment, timer
        state.widget_states.widgets.extend([*self.page.values.values(), *([trigger] if trigger else [])])
        state.cached_message_hashes.extend(self.page.known)
        address = next((address for address, name in self.pages.items() if name == self.open), name)
        host, port = self.connection.remote_address[:2]
        state.context_info.url = f"http://{host}:{port}/{address}"
        state.context_info.timezone, state.context_info.locale = "UTC", "en"
        try:
            await self.connection.send(message.SerializeToString())
        except WebSocketException as error:
            raise BrokenTab(f"The connection broke: {type(error).__name__}.") from error

    def _take(self, message: ForwardMsg) -> None:
        run, fragments = message.metadata.run.script_run_id, list(message.metadata.run.fragment_ids)
        match message.WhichOneof("type"):
            case "delta" | "ref_hash":
                drawn = self.page.take(message)
                if drawn and drawn.kind == "exception":
                    self._fail(f"The page shows an error: {drawn.element.type}: {drawn.element.message[:200]}")
            case "new_session":
                self._begin(message.new_session, run, fragments)
            case "navigation":
                found = message.navigation
                self.pages = {"" if p.is_default else p.url_pathname: p.page_script_hash for p in found.app_pages}
                self.open = found.page_script_hash
            case "page_info_changed":
                self.query = message.page_info_changed.query_string
            case "script_finished":
                self._end(message.script_finished, run, fragments)
            case "auto_rerun":
                self._start(message.auto_rerun.fragment_id, message.auto_rerun.interval)
            case "stop_auto_rerun":
                for fragment in message.stop_auto_rerun.fragment_ids:
                    self._stop(fragment)
            case "page_not_found":
                self._fail("The server did not find the page.")
        self._news.set()

    def _begin(self, session: NewSession, run: str, fragments: list[str]) -> None:
        self.page.begin(run, session.config.max_cached_message_age)
        if not fragments:
            self.open = session.page_script_hash
            self.close()
        asked = self._awaited
        if asked and asked.run is None and (asked.fragment in fragments if asked.fragment else not fragments):
            asked.run = run

    def _end(self, status: int, run: str, fragments: list[str]) -> None:
        asked = self._awaited if self._awaited and self._awaited.run == run else None
        if status == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            if asked:
                # The script itself asked to be run again, all of it: that run is the one to wait for.
                asked.run, asked.fragment = None, ""
            return
        if status == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
            self._fail("The page's script could not be read.")
        self.page.end(run, fragments)
        if asked and not asked.done.done():
            asked.done.set_result(perf_counter() - asked.began)
            self._awaited = None

    def _start(self, fragment: str, interval: float) -> None:
        if fragment in self._timers and self._timers[fragment][0] == interval:
            return
        self._stop(fragment)
        self._timers[fragment] = interval, asyncio.create_task(self._tick(fragment, interval))

    def _stop(self, fragment: str) -> None:
        if timer := self._timers.pop(fragment, None):
            timer[1].cancel()

    async def _tick(self, fragment: str, interval: float) -> None:
        with suppress(BrokenTab):
            while True:
                await asyncio.sleep(interval)
                self.polls += 1
                await self._send(fragment, timer=True)

    def _check(self) -> None:
        if self.fault:
            raise BrokenTab(self.fault)

    def _fail(self, sentence: str) -> None:
        self.fault = self.fault or sentence
        if self._awaited and not self._awaited.done.done():
            self._awaited.done.set_exception(BrokenTab(self.fault))
            self._awaited = None
        self._news.set()


def stream_address(url: str) -> str:
    """The websocket's address of a server.

    Raises:
        ValueError: for any server that is not on this machine.
    """
    parts = urlsplit(url)
    if parts.scheme != "http" or parts.hostname != LOCAL or parts.port is None or parts.username:
        raise ValueError(f"A load is only put on a server of this machine: http://{LOCAL}:PORT, not {url!r}.")
    return f"ws://{LOCAL}:{parts.port}{parts.path.rstrip('/')}/_stcore/stream"


@asynccontextmanager
async def open_tab(url: str) -> AsyncIterator[Tab]:
    """A tab with a connection to the server, in which no page is open yet.

    Raises:
        BrokenTab: when no connection can be made.
        ValueError: for any server that is not on this machine.
    """
    address = stream_address(url)
    try:
        connection = await connect(address, max_size=None, open_timeout=PATIENCE, proxy=None)
    except (OSError, TimeoutError, WebSocketException) as error:
        raise BrokenTab(f"No connection could be made: {type(error).__name__}.") from error
    tab = Tab(connection)
    listening = asyncio.create_task(tab.listen())
    try:
        yield tab
    finally:
        tab.close()
        listening.cancel()
        await connection.close()
