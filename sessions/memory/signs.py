"""What a claim in Japanese or Chinese leaves out of a person's words, sign by sign.

Signs that carry meaning must stand in the claim, but for those of the speaker, of being and of stress; endings and
words in Hiragana may say nothing of wishes, hearsay, doubt, denial or the past that the claim does not say.
"""

from __future__ import annotations

import re

CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_HAN = re.compile(r"[\u30a0-\u30fa\u3400-\u4dbf\u4e00-\u9fff]")
"""Signs that carry meaning: Han and Katakana."""
_I_JA = re.compile(
    r"^(?:ええと|はい|いえ|いいえ|実は|ちなみに|今は?|現在は?|もう|最近|とても|ずっと)*(?:(?:私|僕|俺|わたし|ぼく|あたし|自分)"
    r"(?:たち|達)?(?:は|が|も|の)?)?(?:今は?|現在は?|もう|最近|とても|ずっと)*"
)
_TOPIC_JA = re.compile(r"^[\u3040-\u309f]{2,}?(?:は|が|も|って)(?=[\u30a0-\u30fa\u4e00-\u9fff])")
_HELD_JA = re.compile(
    r"たい|たく|もし|たら|なら|れば|らしい|そうで?[すだ]|みたい|はず|つもり|ふり|かも|だろう|でしょう|ない|ません|なかった|なくて|"
    r"でした|だった|[てで]いました|[てで]いた(?!だ)|という|って(?!いる|います)|わけ|ほど|だけ|しか|こと[がは]"
)
_NOT_JA = ("ない", "ません")
_FREE_HAN = frozenset("是的了在现現目前很也都还還就名位叫做真其实實非常最已经經这這那我们們呢吧啊今実本当毎日時方物")
_MOVED = re.compile(r"引っ?越|移|転|暮|搬")


def dropped_signs(piece: str, clause: str) -> str:
    """The first sign or ending of a clause that a claim leaves out and that may govern what it says; empty for none."""
    japanese = _KANA.search(clause) is not None
    text = _I_JA.sub("", clause) if japanese else clause
    if japanese:
        if m := _TOPIC_JA.match(text):
            return m[0]
        for m in _HELD_JA.finditer(text):
            if m[0] not in piece and not (m[0] in _NOT_JA and any(n in piece for n in _NOT_JA)):
                return m[0]
    free = set(piece) | _FREE_HAN
    if "住" in piece:
        text = _MOVED.sub("", text)
    if re.search(r"[働勤]|工作", piece):
        free |= set("仕事会社公司上班働勤工作")
    return next((c for c in text if _HAN.match(c) and c not in free), "")
