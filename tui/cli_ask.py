"""`memagent-tui ask …`"""

from __future__ import annotations

import argparse


def run(args: argparse.Namespace) -> int:
    from tui.ask import AskOptions, ask

    return ask(
        AskOptions(
            text=args.text,
            json=args.json,
            session=args.session,
            continue_=args.resume_newest,
            fork=args.fork,
            home=args.home,
            profile=args.profile,
            model=args.model,
            memory=args.memory,
            private=args.private,
            allow=tuple(args.allow or ()),
        )
    )
