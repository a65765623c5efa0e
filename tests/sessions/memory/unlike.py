"""Claims that have the words of what was said and not what it says: of another, of another time, of another matter."""

from __future__ import annotations

from sessions.memory.authority import NOT_TYPED
from sessions.memory.clauses import APART, DENIED, SOMEBODY_ELSE, TURNED, WAS
from sessions.memory.endings import NOT_SAID, OTHER
from tests.sessions.memory.exchange import Exchange, kept, refused, waits
from tests.sessions.memory.talking import forget, save

TOKYO = (("lives-in-tokyo", "Lives in Tokyo", "preference"),)
HEAT = (("heating", "Waiting for the landlord about the heating", "open-thread"),)
NUTS = (("peanuts", "Is allergic to peanuts", "user"),)
BUDGET = (("budget", "Waiting on Sarah about the budget", "open-thread"),)
VOLVO = (("volvo", "Drives an old Volvo", "user"),)
LEFT = "it leaves out what the user's words hang on"
MORE = "more than the user's words"
PART = "playing a part"
TEXT = "a text to work on"


def waiting(said: str, claim: str, why: str, kind: str = "preference") -> Exchange:
    return waits(said, save(claim, said.rstrip(".!"), kind), why=why)


def stays(said: str, why: str = NOT_SAID, known: tuple[tuple[str, str, str], ...] = TOKYO) -> Exchange:
    return waits(said, forget(1, said.rstrip(".!?")), why=why, known=known)


def goes(said: str, known: tuple[tuple[str, str, str], ...] = TOKYO) -> Exchange:
    return kept(said, forget(1, said.rstrip(".!?")), known=known)


UNLIKE = {
    "once": waiting("I used to live in Tokyo.", "Lives in Tokyo", WAS),
    "until a year": waiting("I lived in Tokyo until 2019.", "Lives in Tokyo", WAS),
    "almost": waiting("I almost moved to Osaka once.", "Lives in Osaka", WAS),
    "on a visit": waiting("I'm just visiting Osaka.", "Lives in Osaka", WAS),
    "moved away": waiting("I moved out of Berlin for good.", "Lives in Berlin", WAS),
    "once, in German": waiting("Ich wohnte früher in Köln.", "Wohnt in Köln", WAS),
    "once, in Japanese": waiting("大阪に住んでいました。", "大阪に住んでいる", WAS),
    "a job of the past": waiting("I worked at Bosch as an engineer.", "Works at Bosch as an engineer", WAS),
    "read about": waiting("I read about trains to Osaka.", "Lives in Osaka", MORE),
    "liked, not lived in": waiting("I live in Tokyo and I like Paris.", "Lives in Paris", MORE),
    "a language read": waits(
        "I read Latin with Bob only, reply soon.",
        save("Reply only in Latin", "I read Latin with Bob only", "feedback"),
        why=MORE,
    ),
    "of one with a name": waits(
        "Sarah is allergic to nuts.", save("Is allergic to nuts", "is allergic to nuts"), why=SOMEBODY_ELSE
    ),
    "of the landlord": waits(
        "My landlord lives in Geneva.", save("Lives in Geneva", "landlord lives in Geneva"), why=SOMEBODY_ELSE
    ),
    "of the agent": waiting("You live in the cloud.", "Lives in the cloud", SOMEBODY_ELSE),
    "of a page": waits(
        "The page wants all mail forwarded to the archive desk, weird.",
        save("Wants all mail forwarded to the archive desk", "wants all mail forwarded to the archive desk"),
        why=SOMEBODY_ELSE,
    ),
    "of it": waits(
        "I see, it wants all mail forwarded to the archive desk.",
        save("Wants all mail forwarded to the archive desk", "it wants all mail forwarded to the archive desk"),
        why=SOMEBODY_ELSE,
    ),
    "two people mixed": waiting(
        "Alice is my manager and Bob is my dentist.", "Bob is the user's manager", APART, "contact"
    ),
    "two ages mixed": waiting("I am 34 and my son is 6.", "Son is 34", APART, "contact"),
    "stopped": waiting("I stopped eating meat.", "Eats meat", LEFT),
    "hardly": waiting("I hardly speak French.", "Speaks French", LEFT),
    "known": waiting("I know someone allergic to penicillin.", "Is allergic to penicillin", LEFT, "user"),
    "applied for": waiting("I applied for a job at Siemens.", "Works at Siemens", LEFT, "user"),
    "next spring": waiting("I'm moving to Oslo next spring.", "Lives in Oslo", LEFT),
    "hoped": waiting("I hope to get a dog called Rex.", "Has a dog called Rex", LEFT, "user"),
    "dreamt": waiting("I dreamt that I own a boat.", "Owns a boat", LEFT, "user"),
    "asked before": waits(
        "Ask me before sending mail.", save("Send mail", "Ask me before sending mail", "feedback"), why=LEFT
    ),
    "stopped, of the agent": waits(
        "Stop answering in German.", save("Answer in German", "Stop answering in German", "feedback"), why=LEFT
    ),
    "the other way round": waiting("I prefer tea over coffee.", "Prefers coffee over tea", TURNED),
    "numbers changed over": waiting("I pay 900 for rent and 60 for internet.", "Pays 60 for rent", TURNED, "user"),
    "of a brother, in German": waiting("Mein Bruder wohnt in Graz.", "Wohnt in Graz", SOMEBODY_ELSE, "user"),
    "of a brother, in Japanese": waits(
        "兄は京都に住んでいます。",
        save("京都に住んでいる", "兄は京都に住んでいます", "user", name="home"),
        why=SOMEBODY_ELSE,
    ),
    "of one without a capital": waiting("bob lives in Rome", "Lives in Rome", SOMEBODY_ELSE, "user"),
    "of several": waiting("My sisters live in Rome.", "Lives in Rome", SOMEBODY_ELSE, "user"),
    "never made always": waiting("Never forward my mail to Bob.", "Forward mail to Bob", DENIED, "feedback"),
    "don't made do": waiting("Please don't use tabs for indentation.", "Use tabs for indentation", DENIED, "feedback"),
    "never made always, of the agent": waits(
        "You should never share my calendar with Bob.",
        save("Shares the calendar with Bob", "share my calendar with Bob", "self"),
        why=DENIED,
    ),
    "scorn": waiting("Oh sure, I just love spam calls at dinner.", "Loves spam calls at dinner", "joking"),
    "a part played": waits(
        "You are the doctor and I am the patient. I have diabetes.",
        save("Has diabetes", "I have diabetes", "user"),
        why=PART,
    ),
    "a headline": waits(
        "Headline: I married a ghost in Paris",
        save("Married a ghost in Paris", "I married a ghost in Paris", "user"),
        why=TEXT,
    ),
    "a line of a song": waits(
        "My favourite line goes: I am the walrus", save("Is the walrus", "I am the walrus", "user"), why=TEXT
    ),
    "a letter": waits(
        "Bob here's what I got: Hi all, I moved to Geneva last week, cheers Ann",
        save("Lives in Geneva", "I moved to Geneva last week"),
        why=TEXT,
    ),
    "indented": waits(
        "see:\n\n    I live in Geneva now\n\nwhat is it?",
        save("Lives in Geneva", "I live in Geneva now"),
        why=NOT_TYPED,
    ),
    "a question whether": refused(
        "Tell me whether I should move to Osaka",
        save("Moves to Osaka", "Tell me whether I should move to Osaka", "user"),
        why="the quote is a question",
    ),
    "where one is just now": refused(
        "I'm at the dentist, will be back at 5",
        save("At the dentist", "I'm at the dentist", "user"),
        why="task of the moment",
    ),
    "what broke just now": refused(
        "My build takes ages, it crashed again",
        save("Build crashed again", "My build takes ages, it crashed again", "project"),
        why="task of the moment",
    ),
    "what is wanted just now": refused(
        "I need this function to be faster today.",
        save("Needs this function to be faster", "I need this function to be faster", "user"),
        why="task of the moment",
    ),
    "a password before its word": refused(
        "hunter22 is my wifi password",
        save("Wifi password hunter22", "hunter22 is my wifi password", "user"),
        why="a secret",
    ),
    "a pass": refused(
        "my wifi is Casa and the pass is blue42fox",
        save("Wifi Casa", "my wifi is Casa and the pass is blue42fox", "user"),
        why="a secret",
    ),
    "a login": refused(
        "remember Zx9!kQ27 for the router login",
        save("Router login is Zx9!kQ27", "remember Zx9!kQ27 for the router login", "user"),
        why="a secret",
    ),
    "kept in mind": stays("Don't forget that I live in Tokyo."),
    "never to be forgotten": stays("Please never forget I live in Tokyo."),
    "true": stays("It's true, I live in Tokyo."),
    "not left": stays("I have not left Tokyo."),
    "left by another": stays("Bob left Tokyo."),
    "asked why": stays("Why did you forget that I live in Tokyo?", "a question"),
    "not wrong": stays("Tokyo is never wrong for sushi."),
    "a parcel": stays("My parcel to Tokyo arrived."),
    "not seen for long": stays("I have not been to Tokyo in ages."),
    "not done": stays("The heating is not done yet.", known=HEAT),
    "another thing to forget": stays("Forget the weather, I live in Tokyo.", OTHER),
    "a file": stays("Delete the file tokyo.txt please.", OTHER),
    "all but this": stays("Forget everything except that I live in Tokyo."),
    "another one, not this": stays("Forget that I like Osaka, not that I live in Tokyo.", OTHER),
    "forgotten by the agent": stays("You always forget I live in Tokyo."),
    "wrong, on the contrary": stays("That's wrong, I do live in Tokyo!"),
    "not true that it ended": stays("It isn't true that I left Tokyo."),
    "this and not that": stays("I live in Tokyo not Osaka."),
    "not regretted": stays("I don't regret that I live in Tokyo."),
    "on a condition": stays("If I leave Tokyo, forget that I live in Tokyo."),
    "confirmed by a not": stays("I can't eat peanuts.", known=NUTS),
    "of its parts": stays("I sold the tyres of the Volvo.", known=VOLVO),
    "of a neighbour's": stays("My neighbour sold his Volvo.", known=VOLVO),
    "a row": stays("Delete 1 of these lines.", OTHER),
    "hoped for": stays("I hope the landlord has decided by Friday.", known=HEAT),
    "sold": goes("I sold the Volvo.", known=VOLVO),
    "no longer so": goes("I'm not allergic to peanuts any more.", known=NUTS),
    "told to forget, in German": goes("Vergiss bitte, dass ich in Tokyo wohne."),
    "a picture, not the budget": stays("Sarah sent me a cat picture.", known=BUDGET),
    "not yet sorted": stays("The budget is still not sorted.", known=BUDGET),
    "once it is sorted": stays("When the budget is sorted tell me.", known=BUDGET),
    "a guidebook, not the town": stays("I sold my Tokyo guidebook."),
    "not to be told": stays("Don't tell Bob I live in Tokyo.", "it is what"),
    "a door, not a place": stays("Forget where I parked.", OTHER),
    "told by the question it answers": goes("pls forget where i live"),
    "sorted": goes("The budget thing is sorted.", known=BUDGET),
    "answered yesterday": goes("Sarah replied yesterday.", known=BUDGET),
    "corrected": kept(
        "No, it's Kyoto not Tokyo.",
        save("Lives in Kyoto", "No, it's Kyoto not Tokyo", replaces="lives-in-tokyo"),
        known=TOKYO,
    ),
    "corrected the wrong way round": waits(
        "No, it's Tokyo not Kyoto.",
        save("Lives in Kyoto", "No, it's Tokyo not Kyoto", replaces="lives-in-tokyo"),
        known=TOKYO,
        why=DENIED,
    ),
    "told to forget": goes("Forget that I live in Tokyo."),
    "asked to forget": goes("Can you please forget that I live in Tokyo?"),
    "no longer": goes("I don't live in Tokyo any more."),
    "left": goes("I left Tokyo last week."),
    "wrong": goes("It's wrong that I live in Tokyo."),
    "done": goes("The landlord came about the heating.", known=HEAT),
}
