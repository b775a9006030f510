"""What a connection needs before its first byte."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import Callable

from .errors import UsageError
from .options import ConnectionOptions


class TokenSource:
    """The token for each connection: a string, what a file holds, or what the user's function returns."""

    def __init__(self, options: ConnectionOptions) -> None:
        self._options = options
        # The call that is under way, perhaps since an earlier try: its token, or its exception.
        self._answer: asyncio.Future[object] | None = None

    async def get(self) -> str | None:
        """The token now, if there is one.

        :raises UsageError: the file or function has none
        """
        options = self._options
        if not callable(options.token):
            return options.checked_token(options.token)
        if self._answer is None or self._answer.done():
            self._answer = self._ask(options.token)
        # An endless function holds one thread, not one for each try.
        await asyncio.wait([self._answer], timeout=options.connect_timeout)
        if not self._answer.done():
            raise UsageError(f"the token's function has not returned within {options.connect_timeout} s")
        answer = self._answer.result()
        if isinstance(answer, Exception):
            raise UsageError(f"the token's function: {answer!r}") from answer
        return options.checked_token(answer)

    @staticmethod
    def _ask(function: Callable[[], str]) -> asyncio.Future[object]:
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[object] = loop.create_future()

        def ask() -> None:
            answer: object
            try:
                answer = function()
            except Exception as e:
                answer = e
            # The loop may be closed by now.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(answered.set_result, answer)

        # A daemon: no function of the user holds up the end of the program.
        threading.Thread(target=ask, name="msgrelay-token", daemon=True).start()
        return answered
