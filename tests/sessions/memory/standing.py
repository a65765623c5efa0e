"""Words against a fact that stands: what one occasion asks for leaves it, what is meant for good changes it.

Each row: (said, one line of the fact or nothing to forget it, kind, what is known, its kind).
"""

from __future__ import annotations

ASK = ("Ask before deleting files", "feedback")
MAIL = ("Never forward mail", "feedback")
MAIL_TASTE = ("Never forward mail", "preference")
GERMAN = ("Answer in German", "feedback")
TEA = ("Prefers tea", "preference")
TOKYO = ("Lives in Tokyo", "preference")
ALLERGY = ("Is allergic to penicillin", "user")
FRIDAY = ("Never deploy on Fridays", "feedback")
SHORT = ("Keep answers short", "feedback")
METRIC = ("Uses metric units", "preference")
FRAGEN = ("Vor dem Löschen fragen", "feedback")
VOLVO = ("Drives a Volvo", "preference")
VEGETARIAN = ("Is vegetarian", "user")
WINDOW = ("Prefers window seats", "preference")
CHINESE_TEA = ("喝茶", "preference")
RUSSIAN_TEA = ("Пьёт чай", "preference")
SHANGHAI = ("住在上海", "preference")
LYON = ("Habite à Lyon", "preference")
DARK = ("Prefers dark mode", "preference")
REVIEW = ("Ask for a review before merging", "feedback")
CORREO = ("Preguntar antes de borrar correos", "feedback")
CHINESE = ("用中文回答", "feedback")
JAPANESE = ("日本語で答える", "feedback")
DEUTSCH = ("Antworte auf Deutsch", "feedback")
BUDGET = ("Waiting on Sarah about the budget", "open-thread")

SARAH = ("Sarah Chen is the user's manager", "contact")
LEO = ("Leo Brandt is the lawyer", "contact")
LIKES_TEA = ("Likes tea", "preference")
GERMAN_TOO = ("Speaks German", "user")
LISBON = ("Has a flat in Lisbon", "user")
CAT = ("Has a cat called Miso", "user")
BONN = ("Works in Bonn at the ministry", "user")
STANDUP = ("Standup is at 9:30", "project")
SCHOOL = ("Son Tiago goes to kindergarten", "contact")
ASK_MAIL = ("Ask before sending mail", "feedback")
KILOS = ("Weighs 80 kilos", "user")

_KINDS = ("feedback", "preference", "user", "project", "reference")

OTHER_MATTER: tuple[tuple[str, str, str, str, str], ...] = (
    ("The meeting on Friday is at 10", "Meeting on Friday is at 10", "project", *FRIDAY),
    ("I drink tea with Sarah", "Drinks tea with Sarah", "preference", *SARAH),
    ("I like sushi in Tokyo", "Likes sushi in Tokyo", "preference", *TOKYO),
    ("My sister visits me in Tokyo", "Sister visits in Tokyo", "contact", *TOKYO),
    ("Mail the tests result to Ann every Friday", "Mail the tests result to Ann every Friday", "feedback", *ASK_MAIL),
    ("My dentist in Bonn is Dr. Kim", "Dentist in Bonn is Dr. Kim", "contact", *BONN),
    ("My son Leo plays chess", "Son Leo plays chess", "contact", *LEO),
    ("I like tea, I own a boat, I play chess", "Plays chess", "preference", *LIKES_TEA),
    ("I like chess", "Likes chess", "preference", *LIKES_TEA),
    ("Sarah Chen is allergic to nuts", "Sarah Chen is allergic to nuts", "contact", *SARAH),
    ("Always write letters, not mail", "Always write letters", "feedback", *ASK_MAIL),
    ("You may always deploy to staging on Fridays", "May deploy to staging on Fridays", "feedback", *FRIDAY),
)
"""A word in common, and of something else."""
BESIDE: tuple[tuple[str, str, str, str, str], ...] = (
    ("I'm allergic to latex as well", "Is allergic to latex", "user", *ALLERGY),
    ("I also speak French", "Speaks French", "user", *GERMAN_TOO),
    ("I have a dog too, Rex", "Has a dog, Rex", "user", *CAT),
    ("I bought a second flat, in Porto", "Has a flat in Porto", "user", *LISBON),
    ("I also live in Kyoto", "Lives in Kyoto", "preference", *TOKYO),
    ("Ich wohne auch in Kyoto", "Wohnt in Kyoto", "preference", *TOKYO),
    ("J'habite aussi à Metz", "Habite à Metz", "preference", *LYON),
    ("También vivo en Sevilla", "Vive en Sevilla", "preference", *TOKYO),
    ("Я тоже пью кофе", "Пьёт кофе", "preference", *RUSSIAN_TEA),
)
"""What is said in addition."""

STAYS: tuple[tuple[str, str, str, str, str], ...] = (
    *(
        row
        for kind in _KINDS
        for row in (
            ("Delete these files without asking", "Delete files without asking", kind, *ASK),
            ("You may forward this mail", "May forward mail", kind, *MAIL),
            ("You may forward this mail", "Forward mail", kind, *MAIL_TASTE),
        )
    ),
    ("Just delete the old files now without asking", "Delete files without asking", "feedback", *ASK),
    ("You can forward mail just this once", "May forward mail", "feedback", *MAIL),
    ("You may forward mail today", "May forward mail", "feedback", *MAIL),
    ("For this task, forward mail", "Forward mail", "feedback", *MAIL),
    ("You may forward mail. Just this once.", "May forward mail", "feedback", *MAIL),
    ("Answer in French today", "Answer in French", "feedback", *GERMAN),
    ("Answer this one in French please", "Answer in French", "feedback", *GERMAN),
    ("Antworte diesmal auf Französisch", "Antworte auf Französisch", "feedback", *GERMAN),
    ("Lösche diese Dateien ohne zu fragen", "Lösche Dateien ohne zu fragen", "feedback", *ASK),
    ("Supprime ces fichiers sans demander", "Supprime les fichiers sans demander", "feedback", *ASK),
    ("I prefer coffee tonight", "Prefers coffee", "preference", *TEA),
    ("Delete these files without asking", "", "", *ASK),
    ("You may forward this mail", "", "", *MAIL),
    ("Don't ask before deleting these files", "", "", *ASK),
    ("No need to ask before deleting these files", "", "", *ASK),
    ("You don't have to ask before deleting today", "", "", *ASK),
    ("Never mind asking before deleting this file", "", "", *ASK),
    ("This once, no German please", "", "", *GERMAN),
    ("Nicht auf Deutsch antworten, nur dieses Mal", "", "", *GERMAN),
    ("No tea today", "", "", *TEA),
    ("Forget it, the penicillin allergy list can wait", "", "", *ALLERGY),
    ("The penicillin allergy list can wait, forget it", "", "", *ALLERGY),
    ("Forget it, Tokyo can wait", "", "", *TOKYO),
    ("Deploy the hotfix now, even on Friday", "Deploy on Fridays", "feedback", *FRIDAY),
    ("It's fine to deploy the hotfix on Friday", "Deploy on Fridays is fine", "feedback", *FRIDAY),
    ("Deploy on Friday, it's an emergency", "Deploy on Fridays", "feedback", *FRIDAY),
    ("Ignore the Friday rule for this release", "", "", *FRIDAY),
    ("Forget the Friday rule for today", "", "", *FRIDAY),
    ("Give me a long answer here", "Give long answers", "feedback", *SHORT),
    ("A long answer is fine for the report", "Long answers are fine", "feedback", *SHORT),
    ("In the recipe use cups, not grams", "Uses cups", "preference", *METRIC),
    ("For the American readers use imperial units", "Uses imperial units", "preference", *METRIC),
    ("Frag nicht, lösch die Datei einfach", "Nicht fragen vor dem Löschen", "feedback", *FRAGEN),
    ("I'm not in Tokyo today", "", "", *TOKYO),
    ("Undo the Tokyo booking", "", "", *TOKYO),
    ("Please remove me from the Tokyo mailing list", "", "", *TOKYO),
    ("Sarah replied that the budget has to wait", "", "", *BUDGET),
    ("Sarah sent the budget back with questions", "", "", *BUDGET),
    ("I answered Sarah about the budget", "", "", *BUDGET),
    ("No need to ask before deleting the files of Bob", "", "", *ASK),
    ("Delete without asking if they are empty files", "Delete files without asking", "feedback", *ASK),
    ("I had fish today", "Eats fish", "preference", *VEGETARIAN),
    ("I'm no longer the only vegetarian here", "", "", *VEGETARIAN),
    ("An aisle seat is fine on this flight", "Prefers aisle seats", "preference", *WINDOW),
    ("Book me an aisle seat", "Prefers aisle seats", "preference", *WINDOW),
    ("Not window seats again!", "", "", *WINDOW),
    ("The airline cancelled my window seat", "", "", *WINDOW),
    ("Heute nehme ich Kaffee", "Nimmt Kaffee", "preference", *TEA),
    ("今天我喝咖啡", "喝咖啡", "preference", *CHINESE_TEA),
    ("Сегодня я пью кофе", "Пьёт кофе", "preference", *RUSSIAN_TEA),
    ("Cette semaine j'habite à Metz", "Habite à Metz", "preference", *LYON),
    ("Delete the Tokyo photos", "", "", *TOKYO),
    ("Remove Tokyo from the packing list", "", "", *TOKYO),
    ("No dark mode for the screenshots please", "", "", *DARK),
    ("Bob's budget is approved", "", "", *BUDGET),
    ("I'll have coffee for once", "Prefers coffee", "preference", *TEA),
    ("You can skip the review for once", "Skip the review", "feedback", *REVIEW),
    ("Borra estos correos sin preguntar", "Borrar correos sin preguntar", "feedback", *CORREO),
    ("这次用英文回答", "用英文回答", "feedback", *CHINESE),
    ("今日だけ英語で答えてください", "英語で答える", "feedback", *JAPANESE),
    ("Sarah answered the phone about the budget but had no decision", "", "", *BUDGET),
    ("Sarah answered about the budget, but nothing is decided", "", "", *BUDGET),
    *OTHER_MATTER,
    *BESIDE,
    ("I left my umbrella in Tokyo", "", "", *TOKYO),
    ("I cancelled my trip to Tokyo", "", "", *TOKYO),
    ("I don't meet Ann in Tokyo any more", "", "", *TOKYO),
    ("Forget that Tokyo trip", "", "", *TOKYO),
    ("I don't need mail for this", "", "", *ASK_MAIL),
    ("I get no mail any more", "", "", *ASK_MAIL),
    ("The budget meeting is over", "", "", *BUDGET),
    ("The budget talk with Tom is done", "", "", *BUDGET),
)
CHANGES: tuple[tuple[str, str, str, str, str], ...] = (
    ("From now on delete files without asking", "Delete files without asking", "feedback", *ASK),
    ("I live in Kyoto now", "Lives in Kyoto", "preference", *TOKYO),
    ("I moved to Kyoto today", "Lives in Kyoto", "preference", *TOKYO),
    ("I moved to Kyoto this week", "Lives in Kyoto", "preference", *TOKYO),
    ("Please answer in French, not German", "Answer in French", "feedback", *GERMAN),
    ("Forget that rule about deleting files", "", "", *ASK),
    ("You don't need to ask before deleting files anymore", "", "", *ASK),
    ("We left Tokyo this spring", "", "", *TOKYO),
    ("The thing about Tokyo, forget it", "", "", *TOKYO),
    ("Sarah answered about the budget", "", "", *BUDGET),
    ("Forget the Tokyo thing", "", "", *TOKYO),
    ("I'm not vegetarian any more", "", "", *VEGETARIAN),
    ("I prefer aisle seats these days", "Prefers aisle seats", "preference", *WINDOW),
    ("Never ask before deleting files again", "", "", *ASK),
    ("J'habite maintenant à Metz", "Habite à Metz", "preference", *LYON),
    ("我现在住在北京", "住在北京", "preference", *SHANGHAI),
    ("You may deploy on Fridays from now on", "May deploy on Fridays", "feedback", *FRIDAY),
    ("Forget the Friday rule", "", "", *FRIDAY),
    ("I use imperial units now", "Uses imperial units", "preference", *METRIC),
    ("I switched to imperial units today", "Uses imperial units", "preference", *METRIC),
    ("I sold the Volvo and drive a Kia now", "Drives a Kia", "preference", *VOLVO),
    ("Sarah sent the budget", "", "", *BUDGET),
    ("Remove Tokyo from your memory please", "", "", *TOKYO),
    ("Ab jetzt antworte bitte auf Englisch, nicht auf Deutsch", "Antworte auf Englisch", "feedback", *DEUTSCH),
    ("No dark mode anymore, please", "", "", *DARK),
    ("I moved from Tokyo to Kyoto", "Lives in Kyoto", "preference", *TOKYO),
    ("Standup is at 10 from now on", "Standup is at 10", "project", *STANDUP),
    ("Sarah Chen is my sister", "Sarah Chen is the user's sister", "contact", *SARAH),
    ("I weigh 78 kilos", "Weighs 78 kilos", "user", *KILOS),
    ("My son Tiago goes to school now", "Son Tiago goes to school", "contact", *SCHOOL),
    ("I like coffee now, not tea", "Likes coffee", "preference", *LIKES_TEA),
    ("I'm allergic to amoxicillin, not penicillin", "Is allergic to amoxicillin", "user", *ALLERGY),
    ("Always answer in French", "Answer in French", "feedback", *GERMAN),
    ("Never deploy on Fridays or Mondays", "Never deploy on Fridays or Mondays", "feedback", *FRIDAY),
    ("You no longer need to ask before sending mail", "", "", *ASK_MAIL),
    ("You don't have to ask before sending mail any more", "", "", *ASK_MAIL),
    ("I left Tokyo", "", "", *TOKYO),
    ("I no longer work at the ministry in Bonn", "", "", *BONN),
    ("The budget is done", "", "", *BUDGET),
    ("The budget thing is sorted", "", "", *BUDGET),
)
