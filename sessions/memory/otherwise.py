"""What a claim says with one verb and a person with another: in its place the words, with a star their beginnings."""

from __future__ import annotations

import re

MEANS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(rule, re.I), tuple(stems.split()))
    for rule, stems in (
        (
            r"\b(?:liv(?:es?|ing)|resid\w+|based in|home|wohn\w*|lebt|habite|vit|vive|abita|mora|woont)\b",
            "liv* resid* base* home mov* relocat* settl* located wohn* leb* zieh* zog* gezogen umgezogen nach habit* "
            "viv* vis déménag* install* mud* mor* abit* trasferi* woon*",
        ),
        (
            r"\b(?:likes?|loves?|enjoys?|prefers?|fond|fan|favou?rite|mag|aime|gusta|piace|adore|bevorzugt)\b",
            "like love loving enjoy* ador* prefer* favo* fan into keen fond enthusias* passion* rather best think "
            "would going please mag liebe bevorzug* aim* préf* gust* encant* pref* piac*",
        ),
        (
            r"\b(?:dislik\w*|hat(?:es?|ed)|(?:not|n't) (?:like|enjoy)|mag kein\w*|déteste|odia)\b",
            "dislik* hate like enjoy not can stand fan into keen bear detest* loath* no mag kein* nicht détest* pas "
            "odi*",
        ),
        (
            r"\b(?:wants?|wishes|möchte|quiere|veut)\b",
            "want* wish* like need would hop* plan* aim* look* goal dream* prefer* please call möcht* quier* veux "
            "voudr*",
        ),
        (
            r"\b(?:works?|job|employ\w+|arbeitet|travaille|trabaja|lavora)\b",
            "work* job employ* joined joining start* new teach* freelanc* company team office career profession "
            "arbeit* travaill* boss* trabaj* lavor*",
        ),
        (r"\b(?:speaks?|spricht|parle|habla|parla)\b", "speak* can fluent language* sprech* parl* habl*"),
        (
            r"\b(?:uses?|nutzt|verwendet|utilise|usa)\b",
            "use using run* switched migrat* chang* swap* cod* writ* prefer* nutz* utilis* program* develop* went gone "
            "over transition* verwend* umgestiegen gewechselt umgestellt migriert passé passée passés he hemos "
            "pasado pasé pasamos "
            "cambi* us*",
        ),
        (
            r"\b(?:has|owns?|hat|besitzt|a|tiene|ha)\b",
            "own bought adopt* keep diagnosed suffer* besitz* married single divorced with",
        ),
        (r"\b(?:calls?|called|name|goes by)\b", "call* can you go by everyone people friends"),
        (r"\b(?:plays?|cooks?|reads?|writes?|codes?|swims?|drives?)\b", "can"),
        (r"^(?:is|was)\b", "became become promoted turned"),
        (r"\bis (?:on|at|in)\b", "mov* switched migrated"),
        (r"\b(?:from|aus|de)\b", "from come grew born aus komm*"),
        (r"\b(?:daughter|son|child|kid|baby)\b", "baby girl boy"),
    )
)
