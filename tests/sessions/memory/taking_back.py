"""What people say and do not mean to be kept: taken back, asked, forbidden, handed over as a text, or a tale.

Each row is quoted whole and in its clauses; none of it may be saved at once.
"""

from __future__ import annotations

BOAT, DE, FR, ES, JA, ZH = (
    "Owns a boat", "Hat ein Boot", "A un bateau", "Tiene un barco", "船を持っている", "有一条船",
)  # fmt: skip


def _rows(claim: str, said: str, ends: str) -> list[tuple[str, str]]:
    return [(said + end, claim) for end in ends.split("|")]


TAKEN_BACK = [
    *_rows(
        BOAT,
        "I own a boat",
        ", right?|, correct?|, no?|, do I?|, yeah right|, scratch that|, no wait|, not really|, in my dreams|"
        ", in theory|"
        ", that's made up|, until May|. That is a lie.|. I made that up.|. That wasn't true.|. That isn't so.|"
        ". Or not.|"
        ". Actually no.|. Nah.|. Well, I did.|. Wrong!|. False.|. Hypothetically.|. In another life.|. April fools!|"
        ". Gotcha!|. Had you going there.|. Just kidding.|. I take that back.|. Never mind, forget it.|. Is that true?|"
        ". Is that so?|. don't I?|. or do I?|. This isn't about me.|. That's my brother, not me.|. I don't own a boat.|"
        ". I live in Ghent. None of this is true.|. I live in Ghent. Just messing with you.",
    ),
    *_rows(
        DE,
        "Ich habe ein Boot",
        ", oder?|, stimmt nicht|. Quatsch.|. Das war gelogen.|, vergiss das.|. Nein, doch nicht.|. Nur Spaß.",
    ),
    *_rows(FR, "J'ai un bateau", ", n'est-ce pas ?|, hein ?|. C'est faux.|. Je plaisante.|. Oublie ça."),
    *_rows(ES, "Tengo un barco", ", ¿verdad?|, ¿no?|. Es mentira.|. Es broma.|. Olvídalo."),
    *_rows(JA, "船を持っています", "、嘘です|。冗談です。|。うそです。"),
    *_rows(ZH, "我有一条船", "，对吧？|。骗你的。"),
    *_rows(
        BOAT,
        "I own a boat",
        ", maybe.|, I guess|, probably|, I think|, I believe|, not sure though|. Maybe.|. Not sure though.| or so",
    ),
    *_rows(DE, "Ich habe ein Boot", ", glaube ich|, vielleicht"),
    *_rows(FR, "J'ai un bateau", ", je crois"),
    *_rows(ES, "Tengo un barco", ", creo"),
    ("I live in Bonn, no wait, in Ulm", "Lives in Bonn"),
    ("I live in Bonn. Sorry, I live in Ulm.", "Lives in Bonn"),
    ("I own a boat. Scratch that, I own a kayak.", "Owns a boat"),
]

HANDED_OVER = [
    *(
        row
        for head in (
            "Proofread this.|Translate the following to French.|Continue this text.|Correct this text.|"
            "Rewrite the following:|"
            "Can you summarize this for me?|Complete the sentence.|Fill in the blanks.|Say this to the bot.|"
            "Repeat this.|"
            "Review this bio:|Here is my neighbour's profile.|My friend wrote this.|This is what Ana wrote.|"
            "The scammer's text went like this.|Let me tell you what the scammer wrote.|I found this online.|"
            "This was in the paper.|A customer wrote in:|The prompt is:|Test data below.|Sample bio.|Here is a sample.|"
            "Lines from a play.|My character:|Write a story. It begins:|In this story I'm a pirate.|Pretend you're me.|"
            "Imagine this.|Suppose the following.|Opposite day!|Two truths and a lie:|All of this is false.|"
            "None of this is true.|Everything I say next is false.|What follows is fiction.|The next part is a lie.|"
            "Not true:|This is a test.|Übersetze bitte Folgendes.|Korrigiere diesen Text.|Stell dir vor, du bist ich.|"
            "Alles Folgende ist erfunden.|Traduis ce texte.|Traduce esto.|Revisa este texto."
        ).split("|")
        for row in ((f"{head} I live in Ghent. I own a boat.", BOAT), (f"{head}\nI own a boat.\nI like rum.", BOAT))
    ),
    *_rows(
        BOAT,
        "I own a boat. ",
        "Please translate.|Could you translate this?|Rephrase that please.|Make this sound nicer.|"
        "Fix the grammar above.|"
        "How do you say that in French?|What's this in French?|Is this sentence grammatical?|Which film is this from?|"
        "Who wrote this?|Tom's words, not mine.|As my friend put it.|(quote from a film)|That's a line from a song.",
    ),
    ("Draft an email for my tenant. It should say I live in Jena and I own a drill.", "Owns a drill"),
    ("Dear landlord\nI live in flat 4\nI own a boat\nRegards\nMax", BOAT),
    ("user: I own a boat\nassistant: nice\nuser: I like goats", "Likes goats"),
    ("次の文を翻訳してください。大阪に住んでいます。船を持っています。", JA),
    ("Proofread this. I like tea. \n\nI own a boat.", BOAT),
]

FORBIDDEN = [
    *_rows(
        BOAT,
        "I own a boat",
        ". Don't save that.|. Don't remember this please.|. Forget I said that.|, but don't write that down|"
        ". This is confidential, do not store it.|. You don't need to remember that.|. Not to be saved.|"
        ". Don't log this.",
    ),
    ("Don't save this, but I own a boat", BOAT),
    ("Off the record, I own a boat", BOAT),
    ("Please do not remember anything of this. I own a boat.", BOAT),
    ("Do not store what I say now. I own a boat.", BOAT),
    *_rows(DE, "Ich habe ein Boot", ". Merk dir das nicht.|. Bitte nicht speichern."),
    *_rows(FR, "J'ai un bateau", ". Ne note pas ça.|. N'enregistre rien."),
    *_rows(ES, "Tengo un barco", ". No lo guardes."),
    *_rows(JA, "船を持っています", "。覚えないでください。"),
    *_rows(ZH, "我有一条船", "。别记住。"),
]

MEANT = [
    ("I'm a nurse in Leeds. Can you proofread my CV?", "Is a nurse in Leeds"),
    ("Can you proofread my CV? I'm a nurse in Leeds.", "Is a nurse in Leeds"),
    ("Write me a cover letter. I'm a nurse in Leeds.", "Is a nurse in Leeds"),
    ("Explain this error. I use Kotlin.", "Uses Kotlin"),
    ("Review this PR. I prefer small commits.", "Prefers small commits"),
    ("My test suite is slow. I use pytest.", "Uses pytest"),
    ("Check this out! I got a dog called Rex.", "Has a dog called Rex"),
    ("I prefer short answers. Summarize it.", "Prefers short answers"),
    ("Here's my profile: I live in Ghent.", "Lives in Ghent"),
    ("Here is a bit about me. I live in Ghent. I own a boat.", BOAT),
    ("Proofread this. I like tea.\n\nAs for me, I own a boat.", BOAT),
    ("I live in Bonn. That's not far from Cologne.", "Lives in Bonn"),
    ("I have a dog called Rex. Is it true that dogs dream?", "Has a dog called Rex"),
    ("I live in Bonn. Sorry, I live in Ulm.", "Lives in Ulm"),
    ("Scratch that, I work at Siemens", "Works at Siemens"),
    ("Actually no, I live in Bonn.", "Lives in Bonn"),
    ("Das stimmt nicht. Ich wohne in Bonn.", "Wohnt in Bonn"),
    ("I work at Bosch. My brother doesn't work at Bosch.", "Works at Bosch"),
    ("I don't remember passwords well. I live in Ghent.", "Lives in Ghent"),
    ("Forget what I said about Berlin, I live in Bonn.", "Lives in Bonn"),
    ("I own a boat. Can you find me a mooring?", BOAT),
    ("大阪に住んでいます。天気は？", "大阪に住んでいる"),
]

# What was said, what came later, the claim.
LATER = [
    *(
        ("I have a dog, he's called Rex", (later,), "Has a dog")
        for later in (
            "No wait, I don't have a dog, I mixed it up|I don't have a dog|That was a lie, forget it|"
            "Scratch that, I have a "
            "cat|Just kidding|I made that up|Sorry, I meant a cat|I never had a dog|Das war gelogen|C'était une blague|"
            "Era mentira|嘘です|骗你的"
        ).split("|")
    ),
    *(
        ("I live in Bonn", ("I like tea", later), "Lives in Bonn")
        for later in "I live in Ulm|By the way, I moved to Ulm|I don't live in Bonn|My home is Ulm".split("|")
    ),
    ("I work at Bosch, mostly", ("Scratch that, I work at Siemens",), "Works at Bosch"),
    ("I am 34 years old", ("Sorry, I meant 43",), "Is 34 years old"),
]
FORBIDDEN_LATER = [("I own a boat", ("Don't save that.",), BOAT), ("I own a boat", ("Forget I said that",), BOAT)]
STILL_MEANT = [
    ("I live in Bonn, what's the weather?", (later,), "Lives in Bonn")
    for later in (
        "No.|No, thanks.|Never mind.|Hold on.|That's wrong.|Wrong, I asked for Ulm|Is that true?|"
        "My brother lives in Ulm|"
        "My brother doesn't live in Bonn|I don't like rain|I never liked Bonn much|I was in Ulm yesterday|Nein danke"
    ).split("|")
]
