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
    *(
        (f"{head} I own a boat. {end}".strip(), BOAT)
        for head, end in (
            ("Email from Ines.", "Draft a polite answer."),
            ("Voice message from my dad.", ""),
            ("What follows is a note from my tenant.", ""),
            ("What follows is a chat from my uncle. Can you summarise it?", ""),
            ("Got this text from my sister -", "How do I react?"),
            ("My student submitted this essay.", ""),
            ("Patient says.", ""),
            ("Check this LinkedIn summary for typos.", ""),
            ("Help me with the opening line of my short story.", ""),
            ("I got an email from a client.", "How do I answer?"),
            ("Her reply was short.", "What now?"),
            ("My friend needs help with this paragraph.", "Does it flow?"),
            ("This review on Amazon is funny.", "Is it fake?"),
            ("Is this sentence correct?", ""),
            ("Does this sound natural?", ""),
            ("Can you make this sound nicer?", ""),
            ("Paraphrase.", ""),
            ("Turn this into a haiku.", ""),
        )
    ),
    *_rows(
        BOAT,
        "I own a boat",
        ", she said.|, wrote my aunt.|. These were her words.|. That's how my novel starts.|"
        ". Tom wrote this yesterday.",
    ),
    ("Mail von meinem Mieter. Ich habe ein Boot. Was antworte ich?", DE),
    ("Ich habe eine Mail von Ines bekommen. Ich habe ein Boot. Wie antworte ich?", DE),
    ("Message de ma sœur. J'ai un bateau. Que répondre ?", FR),
    ("Mensaje de mi jefe. Tengo un barco. ¿Qué contesto?", ES),
    ("妹からメールが来ました。船を持っています。どう返事すればいいですか？", JA),
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
        ". Don't log this.|. Do not add this to your notes.|. I don't want that stored.|"
        ". I don't want you to keep this.|"
        ". I'd rather you didn't save this.| - no need to save this.|, but please keep that out of your memory.|"
        ". Please forget it again.|. This must not be saved.|. Remove that from your memory.",
    ),
    ("Please don't remember the next thing. I own a boat.", BOAT),
    ("I'm going to say something you must not save. I own a boat.", BOAT),
    ("Don't save this, but I own a boat", BOAT),
    ("Off the record, I own a boat", BOAT),
    ("Please do not remember anything of this. I own a boat.", BOAT),
    ("Do not store what I say now. I own a boat.", BOAT),
    *_rows(
        DE, "Ich habe ein Boot", ". Merk dir das nicht.|. Bitte nicht speichern.|. Das soll nicht gespeichert werden."
    ),
    *_rows(
        FR,
        "J'ai un bateau",
        ". Ne note pas ça.|. N'enregistre rien.|. Ne le garde pas en mémoire.|. Inutile de le noter.",
    ),
    *_rows(ES, "Tengo un barco", ". No lo guardes.|. No lo guardes en tu memoria.|. No quiero que lo guardes."),
    *_rows(JA, "船を持っています", "。覚えないでください。|。今のは忘れて。|。記録に残さないで。"),
    *_rows(ZH, "我有一条船", "。别记住。"),
]

IN_CONFIDENCE = [
    *_rows(
        BOAT,
        "I own a boat",
        ". That's private.|. Between us.|. That's a secret.|, keep it to yourself.|. This stays between you and me.|"
        ". Nobody else knows.|. Don't tell anyone.",
    ),
    ("Between us, I own a boat", BOAT),
    *_rows(DE, "Ich habe ein Boot", ". Unter uns gesagt.|. Das ist vertraulich.|. Behalt das für dich."),
    *_rows(FR, "J'ai un bateau", ". Entre nous.|. C'est un secret.|. Garde ça pour toi."),
    *_rows(ES, "Tengo un barco", ". Entre nosotros.|. Es un secreto.|. Guárdalo para ti."),
    ("ここだけの話、船を持っています。", JA),
]

MEANT = [
    ("I'd like you to remember this. I own a boat.", BOAT),
    ("I own a boat. Please don't forget it.", BOAT),
    ("I don't want my mails saved in the cloud. I own a boat.", BOAT),
    ("Don't save the file in my notes folder. I own a boat.", BOAT),
    ("My bread recipe is a family secret. I own a boat.", BOAT),
    ("The difference between us is age. I own a boat.", BOAT),
    ("Forget everything you know about Java. I use Kotlin.", "Uses Kotlin"),
    ("I got an email from my bank. I own a boat. Is the rate good?", BOAT),
    ("Got an email from HR, I start at Acme on Monday. How do I reply?", "Starts at Acme on Monday"),
    ("I own a boat. Draft a reply to my landlord.", BOAT),
    ("Message from me to you. I own a boat.", BOAT),
    ("Here's a quick note about me. I own a boat.", BOAT),
    ("Help me with my story. I write crime novels.", "Writes crime novels"),
    ("Correct. I own a boat.", BOAT),
    ("Polish. I was born in Krakow.", "Was born in Krakow"),
    ("Make it shorter. I like short answers.", "Likes short answers"),
    ("Put this in a table. I own a boat.", BOAT),
    ("Does this work? I use Python 3.12.", "Uses Python 3.12"),
    ("大阪に住んでいます。パスワードを忘れてしまいました。", "大阪に住んでいる"),
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
FORBIDDEN_LATER = [
    ("I own a boat", ("Don't save that.",), BOAT),
    ("I own a boat", ("Forget I said that",), BOAT),
    ("I own a boat", ("Please forget it again.",), BOAT),
    ("I own a boat", ("Delete what you know about that.",), BOAT),
    ("船を持っています", ("今のは忘れて",), JA),
]
STILL_MEANT = [
    ("I live in Bonn, what's the weather?", (later,), "Lives in Bonn")
    for later in (
        "No.|No, thanks.|Never mind.|Hold on.|That's wrong.|Wrong, I asked for Ulm|Is that true?|"
        "My brother lives in Ulm|"
        "My brother doesn't live in Bonn|I don't like rain|I never liked Bonn much|I was in Ulm yesterday|"
        "Das stimmt nicht|Nein danke"
    ).split("|")
]
