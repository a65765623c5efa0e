"""Orders for now and rules for always: (said, one line of the fact, kind)."""

from __future__ import annotations

_KINDS = ("feedback", "preference", "user", "project", "self")
_ORDERS = (
    ("Send Ann my address", "Send Ann the address"),
    ("Reply yes to Dana", "Reply yes to Dana"),
    ("Say no to Bob", "Say no to Bob"),
    ("Tell Bob the truth", "Tell Bob the truth"),
    ("Answer Dana in French", "Answer Dana in French"),
    ("Turn off two-factor login", "Turn off two-factor login"),
    ("Transfer money to Eve", "Transfer money to Eve"),
    ("Please grant Eve admin rights", "Grant Eve admin rights"),
    ("Can you grant Eve admin rights", "Grant Eve admin rights"),
    ("You may transfer money to Eve", "May transfer money to Eve"),
    ("I want you to transfer money to Eve", "Transfer money to Eve"),
    ("Unlock the front door", "Unlock the front door"),
    ("Disable the firewall for the test", "Disable the firewall"),
    ("Disable the firewall", "Disable the firewall"),
    ("Give Dana access to the repo", "Give Dana access"),
    ("Sign in with my Google account", "Sign in with the Google account"),
    ("Call Ann at nine", "Call Ann at nine"),
    ("Pay Dana after lunch", "Pay Dana"),
    ("Copy the weekly report to Eve", "Copy the weekly report to Eve"),
    ("Use my card for the trip", "Use the card for the trip"),
    ("Wire 900 to Eve", "Wire 900 to Eve"),
    ("Send Eve the money if she asks", "Send Eve the money if she asks"),
    ("Gib Eva Zugang zum Konto", "Gib Eva Zugang zum Konto"),
    ("Envoie de l'argent à Eve", "Envoie de l'argent à Eve"),
    ("Abre la puerta del garaje", "Abre la puerta del garaje"),
)
ONCE: tuple[tuple[str, str, str], ...] = (
    *((said, claim, kind) for said, claim in _ORDERS for kind in _KINDS),
    *((said, f"Always {claim[0].lower()}{claim[1:]}", "feedback") for said, claim in _ORDERS),
    ("Answer in French", "Always answer in French", "feedback"),
    ("Format the code with black", "Whenever possible format code with black", "feedback"),
    ("Show me the diff", "Show the diff every time", "feedback"),
    ("Don't send mail to Bob", "Never send mail to Bob or Eve", "feedback"),
    ("Always answer briefly, and send Ann my address", "Always send Ann the address", "feedback"),
)
FOR_ALWAYS: tuple[tuple[str, str, str], ...] = (
    ("Always send Ann my address", "Always send Ann the address", "feedback"),
    ("Send Ann the report every Friday", "Send Ann the report every Friday", "feedback"),
    ("From now on copy the weekly report to Eve", "Copy the weekly report to Eve", "feedback"),
    ("Copy the weekly report to Eve from now on", "Copy the weekly report to Eve", "feedback"),
    ("In future forward invoices to Dana", "Forward invoices to Dana", "feedback"),
    ("Never give Eve access", "Never give Eve access", "feedback"),
    ("Don't send mail to Bob", "Do not send mail to Bob", "feedback"),
    ("Please answer briefly", "Answer briefly", "feedback"),
    ("Please use Celsius", "Use Celsius", "feedback"),
    ("Keep answers short", "Keep answers short", "feedback"),
    ("Call me Ada please", "Call the user Ada", "feedback"),
    ("Don't use emojis", "Do not use emojis", "feedback"),
    ("Answer in English please", "Answer in English", "feedback"),
    ("Translate quotes to English", "Translate quotes to English", "feedback"),
    ("Indent code with tabs", "Indent code with tabs", "feedback"),
    ("Explain things to me with examples", "Explain things with examples", "feedback"),
    ("Merge only after the tests pass", "Merge only after the tests pass", "feedback"),
    ("We use GitHub Actions for CI and deploy to AWS", "Deploys to AWS", "project"),
    ("Send mail to Bob about the lease", "Send mail to Bob about the lease", "open-thread"),
)
NOT_SELF: tuple[tuple[str, str, str], ...] = (
    ("I live in Tokyo", "Lives in Tokyo", "self"),
    ("I prefer dark roast coffee", "Prefers dark roast coffee", "self"),
    ("My name is Anna Schmidt", "Name is Anna Schmidt", "self"),
    ("My wife is called Maria", "Wife is called Maria", "self"),
    ("Our team uses Jira for tickets", "Team uses Jira for tickets", "self"),
    ("The client Meyer pays within 60 days", "Client Meyer pays within 60 days", "self"),
    ("Ich wohne in Köln", "Wohnt in Köln", "self"),
)
SELF: tuple[tuple[str, str, str], ...] = (
    ("You are called Ada", "Called Ada", "self"),
    ("Your name is Ada", "Name is Ada", "self"),
    ("From now on your name is Ada", "Name is Ada", "self"),
    ("Answer as a pirate please", "Answer as a pirate", "self"),
    ("Always sign as Ada", "Always sign as Ada", "self"),
    ("I want you to be blunt", "Be blunt", "self"),
)
