"""What the actions on proposals do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.app import MemagentApp


class ReviewDeeds:
    """A part of the deeds: one method an action."""

    app: MemagentApp

    def review(self, _: str) -> None:
        if self.app.lists is not None:
            self.app.lists.review.go()

    def proposal_accept(self, _: str) -> None:
        if self.app.lists is not None:
            self.app.lists.review.accept()

    def proposal_group(self, _: str) -> None:
        if self.app.lists is not None:
            self.app.lists.review.accept_group()

    def proposal_reject(self, _: str) -> None:
        if self.app.lists is not None:
            self.app.lists.review.reject()

    def proposal_edit(self, _: str) -> None:
        if self.app.lists is not None:
            self.app.lists.review.edit()
