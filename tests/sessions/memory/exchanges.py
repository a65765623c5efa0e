"""What people say, what a model wants to remember of it, and what the memory makes of that."""

from __future__ import annotations

from sessions.memory.authority import NOT_TYPED
from tests.sessions.memory.exchange import kept, refused, waits
from tests.sessions.memory.talking import forget, save
from tests.sessions.memory.turned import TURNED
from tests.sessions.memory.unlike import UNLIKE

TOKYO = (("lives-in-tokyo", "Lives in Tokyo", "preference"),)
MAIL = "From: bob@corp.example\nSubject: Move\n\nI live in Geneva now and my number is 555 1234.\n"
OSAKA = "I moved to Osaka, what's the weather?"

ORDINARY = {
    "moved and asks": kept(OSAKA, save("Lives in Osaka", "I moved to Osaka")),
    "moved, the old fact replaced": kept(
        OSAKA, save("Lives in Osaka", "I moved to Osaka", replaces="lives-in-tokyo"), known=TOKYO
    ),
    "a taste": kept(
        "By the way, I prefer dark roast coffee.", save("Prefers dark roast coffee", "I prefer dark roast coffee")
    ),
    "a person": kept(
        "Sarah Chen is my engineering manager.",
        save("Sarah Chen is the user's engineering manager", "Sarah Chen is my engineering manager", "contact"),
    ),
    "other case and spaces": kept("i LIVE  in Tōkyō.", save("Lives in Tōkyō", "I live in tōkyō")),
    "curly quotes": kept("I don’t eat meat, ever.", save("Does not eat meat", "I don't eat meat")),
    "a number in words": kept("I have two cats at home", save("Has 2 cats", "I have two cats", "user")),
    "due by a weekday": kept(
        "I'm waiting on Sarah about the staffing plan, she needs it by Friday.",
        save(
            "Waiting on Sarah about the staffing plan",
            "waiting on Sarah about the staffing plan",
            "open-thread",
            due="2026-12-04",
        ),
    ),
    "how to answer": kept(
        "Please always answer in short sentences.",
        save("Answer in short sentences", "always answer in short sentences", "feedback"),
    ),
    "asked for three things": kept(
        "Remember these: I like tea, I own a boat, I play chess.",
        save("Likes tea", "I like tea, I own a boat"),
        save("Owns a boat", "I own a boat", "user"),
        save("Plays chess", "I play chess", "user"),
    ),
    "tomorrow becomes a date": kept(
        "I fly to Rome tomorrow",
        save("Flies to Rome tomorrow", "I fly to Rome tomorrow", "user"),
        now="Flies to Rome 2026-11-30",
    ),
    "last year becomes a year": kept(
        "I quit smoking last year.",
        save("Quit smoking last year", "I quit smoking last year", "user"),
        now="Quit smoking 2025",
    ),
    "a habit on a weekday stays": kept(
        "I work from home on Friday", save("Works from home on Friday", "I work from home on Friday", "user")
    ),
    "from two messages' names": kept(
        "My sister Anna loves opera", save("Sister Anna loves opera", "My sister Anna loves opera", "contact")
    ),
}

NAMES = {
    "a name that says more gives way": kept(
        "I live in Tokyo", save("Lives in Tokyo", "I live in Tokyo", name="forward-all-mail")
    ),
}

UNGROUNDED = {
    "no quote": waits("I live in Tokyo", save("Lives in Tokyo"), why="no quote of the user's own words"),
    "two words": waits("in Tokyo it is warm", save("Lives in Tokyo", "in Tokyo"), why="fewer than three words"),
    "never said": waits("Hello there, friend", save("Lives in Tokyo", "I live in Tokyo"), why=NOT_TYPED),
    "half a word": waits("I live in Tokyotown", save("Lives in Tokyo", "I live in Tokyo"), why=NOT_TYPED),
    "a name more": waits(
        "I moved to Japan", save("Lives in Osaka, Japan", "I moved to Japan"), why="it adds the name Osaka"
    ),
    "a number more": waits("I have some cats", save("Has 4 cats", "I have some cats", "user"), why="adds the number 4"),
    "a number in words more": waits(
        "I have some cats", save("Has four cats", "I have some cats", "user"), why="the number four"
    ),
    "an address more": waits(
        "You can mail me any time",
        save("Mail goes to x@evil.example", "You can mail me any time", "user"),
        why="it adds x@evil.example",
    ),
    "a page more": waits(
        "I like reading the news",
        save("Likes reading news at evil.example/n", "I like reading the news"),
        why="it adds evil.example/n",
    ),
    "a statement more": waits(
        "I live in Tokyo",
        save("Lives in Tokyo", "I live in Tokyo", body="Wants all mail forwarded."),
        why="it says more than the user's words",
    ),
    "another statement": waits("I live in Tokyo", save("Wants all mail forwarded", "I live in Tokyo"), why="says more"),
    "a wrong date": waits(
        "Call the bank by Friday please",
        save("Call the bank", "Call the bank by Friday", "open-thread", due="2027-03-01"),
        why="2027-03-01 is not what the user's words come to",
    ),
    "denied": waits(
        "I do not live in Tokyo", save("Lives in Tokyo", "live in Tokyo"), why="the user's words deny something"
    ),
    "not denied": waits(
        "I eat meat every day", save("Does not eat meat", "I eat meat every day"), why="the claim denies something"
    ),
    "not sure": waits(
        "I might move to Berlin", save("Lives in Berlin", "I might move to Berlin"), why="the user was not sure"
    ),
    "somebody else's": waits(
        "My brother lives in Lisbon", save("Lives in Lisbon", "My brother lives in Lisbon"), why="somebody else"
    ),
    "another fact's place": waits(
        "I like green tea",
        save("Likes green tea", "I like green tea", replaces="lives-in-tokyo"),
        known=TOKYO,
        why="do not speak of #1",
    ),
    "a pasted block": waits(
        "see: " + OSAKA, save("Lives in Osaka", "I moved to Osaka"), typed=((0, 5),), why=NOT_TYPED
    ),
    "piped in": waits(OSAKA, save("Lives in Osaka", "I moved to Osaka"), typed=(), why=NOT_TYPED),
    "half typed, half pasted": waits(
        "I moved to Osaka", save("Lives in Osaka", "I moved to Osaka"), typed=((0, 11),), why=NOT_TYPED
    ),
    "a file's text": waits(
        "@notes.txt\nI moved to Osaka", save("Lives in Osaka", "I moved to Osaka"), typed=((0, 10),), why=NOT_TYPED
    ),
    "pasted mail, not marked": waits(MAIL, save("Lives in Geneva", "I live in Geneva now"), why=NOT_TYPED),
    "fenced code": waits(
        "look:\n```\nI live in Geneva\n```\n", save("Lives in Geneva", "I live in Geneva"), why=NOT_TYPED
    ),
    "a quoted line": waits(
        "> I live in Geneva\nis that so?", save("Lives in Geneva", "I live in Geneva"), why=NOT_TYPED
    ),
}

NOT_SAID = {
    "a question": refused(
        "Should I move to Osaka?", save("Lives in Osaka", "I move to Osaka"), why="the quote is a question"
    ),
    "a question of weather": refused(
        "What's the weather in Paris?", save("Lives in Paris", "the weather in Paris"), why="is a question"
    ),
    "supposed": refused(
        "If I lived in Paris I could walk to work.", save("Lives in Paris", "I lived in Paris"), why="only supposed it"
    ),
    "imagined": refused(
        "Imagine I am a pirate captain.",
        save("Is a pirate captain", "I am a pirate captain", "user"),
        why="only supposed",
    ),
    "a story": refused(
        "Write a story in which I live on Mars.", save("Lives on Mars", "I live on Mars"), why="only supposed"
    ),
    "would": refused(
        "I would move to Rome at once", save("Moves to Rome", "I would move to Rome"), why="only supposed"
    ),
    "a joke": waits(
        "I am the queen of England, just kidding!",
        save("Is the queen of England", "I am the queen of England", "user"),
        why="joking",
    ),
    "laughing": waits(
        "I eat glass for breakfast 😂",
        save("Eats glass for breakfast", "I eat glass for breakfast", "user"),
        why="joking",
    ),
    "a friend said": waits(
        "My friend said he lives in Lisbon", save("Lives in Lisbon", "he lives in Lisbon"), why="what friend said"
    ),
    "somebody wrote": waits(
        'Bob wrote "I hate cilantro" to me', save("Hates cilantro", "I hate cilantro"), why="what Bob said"
    ),
    "to translate": waits(
        "Translate to French: I live in Lyon", save("Lives in Lyon", "I live in Lyon"), why="a text to work on"
    ),
    "in quotation marks": waits(
        'The line "I love the sea" needs a rhyme', save("Loves the sea", "I love the sea"), why="a text to work on"
    ),
}

NOT_WORTH = {
    "task state": refused(
        "I'm debugging the parser right now, help me",
        save("Is debugging the parser", "I'm debugging the parser", "user"),
        why="the task of the moment",
    ),
    "the request": refused(
        "Help me sort a list please",
        save("Asked for help with sorting a list", "Help me sort a list", "user"),
        why="the task of the moment",
    ),
    "tests fail": refused(
        "The tests are failing again today",
        save("The tests are failing", "The tests are failing", "project"),
        why="the task of the moment",
    ),
    "a mood": refused(
        "I am tired and hungry", save("Is tired", "I am tired and hungry", "user"), why="the task of the moment"
    ),
    "a guess": refused(
        "I write Python all day", save("Probably likes Python", "I write Python all day"), why="it is a guess"
    ),
    "it seems": refused(
        "I write Python all day", save("Seems to be a developer", "I write Python all day", "user"), why="it is a guess"
    ),
    "two claims": refused(
        "I live in Tokyo and I prefer tea",
        save("Lives in Tokyo and prefers tea", "I live in Tokyo and I prefer tea"),
        why="more than one claim",
    ),
    "two sentences": refused(
        "I live in Tokyo. I like tea.",
        save("Lives in Tokyo. Likes tea", "I live in Tokyo. I like tea"),
        why="more than one claim",
    ),
    "in the folder": refused(
        "Our rules are in style.md by the way",
        save("Rules are in style.md", "rules are in style.md", "project"),
        files=("style.md",),
        why="can be read from the files",
    ),
    "what the code has": refused(
        "I looked at the module again",
        save("The module contains 3 classes", "looked at the module", "project"),
        why="can be read from the files",
    ),
    "soon": refused(
        "I move to Rome soon I hope",
        save("Moves to Rome soon", "I move to Rome soon", "user"),
        why="nobody can tell later when",
    ),
    "small talk": refused("Thanks a lot, bye", save("Thanks", "Thanks a lot, bye", "user"), why="states nothing"),
    "the third unasked": refused(
        "I like tea, I own a boat, I play chess.",
        save("Likes tea", "I like tea, I own"),
        save("Owns a boat", "I own a boat", "user"),
        save("Plays chess", "I play chess", "user"),
        why="2 facts were saved in this turn already",
    ),
    "close to a known one": refused(
        "I love green tea in the morning",
        save("Loves green tea in mornings", "I love green tea in the morning"),
        known=(("tea", "Loves green tea", "preference"),),
        why="close to #1 tea: Loves green tea",
    ),
    "a second home": refused(OSAKA, save("Lives in Osaka", "I moved to Osaka"), known=TOKYO, why="replaces=1"),
}

SECRETS = {
    "a password": refused(
        "Remember my wifi password is hunter22",
        save("Wifi password is hunter22", "my wifi password is hunter22"),
        why="a secret (password)",
    ),
    "a key": refused(
        "Remember the key sk-abcdefghijklmnopqrst",
        save("Key is sk-abcdefghijklmnopqrst", "the key sk-abcdefghijklmnopqrst"),
        why="a secret (access token)",
    ),
    "a card": refused(
        "Remember my card 4111 1111 1111 1111",
        save("Card is 4111 1111 1111 1111", "my card 4111 1111 1111 1111"),
        why="a secret (card number)",
    ),
    "in the details": refused(
        "Remember how to log in there",
        save("Logs in there", "how to log in there", "user", body="password: hunter22"),
        why="a secret (password)",
    ),
    "in the quote only": refused(
        "my token is ghp_" + "a1" * 15, save("Has a token", "my token is ghp_" + "a1" * 15, "user"), why="a secret"
    ),
    "a signed token": refused(
        "Save eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
        save("Token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "x y z"),
        why="JWT",
    ),
    "a private key": refused(
        "Keep -----BEGIN RSA PRIVATE KEY----- for me",
        save("Key", "Keep it for me", body="-----BEGIN RSA PRIVATE KEY-----"),
        why="private key",
    ),
}

AGAIN = {
    "the same again": kept(
        "I live in Tokyo", save("lives in tokyo.", "I live in Tokyo", name="home"), known=TOKYO, now="Lives in Tokyo"
    ),
    "in other words": kept(
        "My home is in Tokyo",
        save("The user lives in Tokyo", "My home is in Tokyo", name="x"),
        known=TOKYO,
        now="Lives in Tokyo",
    ),
    "corrected": kept(
        "No, I live in Kyoto, not in Tokyo",
        save("Lives in Kyoto", "I live in Kyoto", name="lives-in-tokyo"),
        known=TOKYO,
    ),
    "distinct": kept(
        "I love green tea in the morning",
        save("Loves green tea in the morning", "I love green tea in the morning", distinct=True),
        known=(("tea", "Loves green tea", "preference"),),
    ),
    "forgotten by order": kept(
        "Please forget that I live in Tokyo", forget(1, "forget that I live in Tokyo"), known=TOKYO, now="-"
    ),
    "forgotten by number": kept("forget #1", forget(1, "forget #1"), known=TOKYO, now="-"),
    "closed": kept(
        "Sarah answered.",
        forget("sarah", "Sarah answered."),
        known=(("sarah", "Waiting on Sarah", "open-thread"),),
        now="-",
    ),
    "forgotten unsaid": waits(
        "I live in Tokyo", forget(1, "I live in Tokyo"), known=TOKYO, why="do not say that it is over"
    ),
    "forgotten without words": waits(
        "I do not like rain", forget(1), known=TOKYO, why="no quote of the user's own words"
    ),
    "another one forgotten": waits(
        "forget that I like rain", forget(1, "forget that I like rain"), known=TOKYO, why="do not speak of this fact"
    ),
}

LANGUAGES = {
    "German": kept("Ich wohne jetzt in Köln und esse kein Fleisch.", save("Wohnt in Köln", "Ich wohne jetzt in Köln")),
    "German, denied": waits(
        "Ich wohne nicht in Köln", save("Wohnt in Köln", "wohne nicht in Köln"), why="deny something"
    ),
    "French": kept(
        "Je suis allergique aux arachides.", save("Est allergique aux arachides", "Je suis allergique aux arachides")
    ),
    "Spanish": kept("Recuerda que vivo en Sevilla", save("Vive en Sevilla", "que vivo en Sevilla")),
    "Japanese": kept("私は大阪に住んでいます。天気は？", save("大阪に住んでいる", "大阪に住んでいます", name="home")),
    "Japanese, asked": refused(
        "大阪に住んでいますか？", save("大阪に住んでいる", "大阪に住んでいますか", name="home"), why="a question"
    ),
    "Chinese": kept("我住在上海，喜欢喝茶", save("住在上海", "我住在上海，喜欢", name="home")),
    "Russian": kept("Я живу в Москве", save("Живёт в Москве", "Я живу в Москве", name="home")),
    "Japanese, another name": waits(
        "私は大阪に住んでいます",
        save("ベルリンに住んでいる", "大阪に住んでいます", name="home"),
        why="the name ベルリン",
    ),
}

EXCHANGES = ORDINARY | NAMES | TURNED | UNGROUNDED | NOT_SAID | NOT_WORTH | SECRETS | AGAIN | LANGUAGES | UNLIKE
