"""Changes from one thing to another: what was given up holds no more, and what came for it does."""

from __future__ import annotations

_ROWS: tuple[tuple[str, str, str, str], ...] = (
    ("I moved from Austin to Reno", "Lives in {}", "Austin Reno", "user"),
    ("We relocated from Austin to Reno", "Lives in {}", "Austin Reno", "user"),
    ("Ich bin von Köln nach Mainz gezogen", "Wohnt in {}", "Köln Mainz", "user"),
    ("J'ai déménagé de Lyon à Nantes", "Habite à {}", "Lyon Nantes", "user"),
    ("Me mudé de Madrid a Valencia", "Vive en {}", "Madrid Valencia", "user"),
    ("Mi sono trasferito da Roma a Milano", "Vive a {}", "Roma Milano", "user"),
    ("We switched from Slack to Teams", "Uses {}", "Slack Teams", "project"),
    ("We went over from Slack to Teams", "Uses {}", "Slack Teams", "project"),
    ("We transitioned from Heroku to Fly", "Uses {}", "Heroku Fly", "project"),
    ("Ich bin von Windows auf Linux umgestiegen", "Nutzt {}", "Windows Linux", "user"),
    ("Wir sind von Jira auf Linear umgestiegen", "Nutzt {}", "Jira Linear", "project"),
    ("Je suis passé de Windows à Linux", "Utilise {}", "Windows Linux", "user"),
    ("Hemos pasado de Slack a Teams", "Usa {}", "Slack Teams", "project"),
    ("I've swapped Spotify for Tidal", "Uses {}", "Spotify Tidal", "user"),
    ("I replaced Vim with Helix", "Uses {}", "Vim Helix", "user"),
    ("Ich habe Chrome durch Firefox ersetzt", "Nutzt {}", "Chrome Firefox", "user"),
    ("J'ai remplacé Chrome par Firefox", "Utilise {}", "Chrome Firefox", "user"),
    ("I left Bosch for Siemens", "Works at {}", "Bosch Siemens", "user"),
)
GIVEN_UP = tuple((said, claim.format(both.split()[0]), kind) for said, claim, both, kind in _ROWS)
CAME_FOR: tuple[tuple[str, str, str], ...] = (
    *((said, claim.format(both.split()[1]), kind) for said, claim, both, kind in _ROWS),
    ("I commute from Austin to Reno", "Commutes from Austin to Reno", "user"),
    ("I moved from Austin to Reno and I love it", "Moved from Austin to Reno", "user"),
    ("I travel from Bonn to Paris every week", "Travels from Bonn to Paris every week", "user"),
    ("We moved the meeting from Monday to Tuesday", "Meeting is on Tuesday", "project"),
)
