"""The words by which a password is told, and how its value stands beside them; the parts of the rules for secrets."""

from __future__ import annotations

PASSWORD = (
    r"p[a4@][s5$][s5$](?:w[o0]r[dt]|wd|phrase|code)s?|kennwort|pwd?|pin(?:[ -]?(?:code|number))?|puk|mot de passe|mdp|"
    r"code secret|contrase(?:ñ|n)a|clave(?: secreta)?|senha|parola d'ordine|wachtwoord|l(?:ö|o)senord|adgangskode|"
    r"has(?:ł|l)o|парол[ья]|şifre|geheim(?:zahl|nummer|code)|t(?:ü|u|ue)rcode|zugangscode|"
    r"(?:wi-?fi|wlan|network)[ -](?:key|code|schlüssel)|api[ _-]?(?:key|token|secret)|"
    r"(?:2fa|mfa|totp|otp)[ _-](?:secret|key|seed)|secret(?:[ _-](?:key|token))?|client[ _-]secret|"
    r"(?:access|auth|refresh|bearer|session)[ _-](?:key|token)|private[ _-]key|encryption[ _-]key|"
    r"cvv2?|cvc2?|security code|(?:door|gate|alarm|entry) ?code|(?:safe|lock) (?:code|combination)|"
    r"code de (?:la )?(?:porte|carte)|c(?:ó|o)digo de la puerta"
)
OF = r"(?:\s+(?:for|to|of|on|at|für|fürs|vom|von|de|del|du|da|do|van|zum|zur|от|для)\s+(?:\S+\s+){0,3}?\S+)?"
IS = (
    r"(?:==?>?|[-–]+>|→|:|：|\b(?:is\s+|are\s+)?(?:equals?|equivalent)(?:\s+to)?\b|\bturn(?:s|ed) out to be\b|"
    r"\b(?:ist\s+)?gleich\b|\bentspricht\b|\bvaut\b|\bcorrespond à\b|\bes\s+igual\s+a\b|\bequivale a\b|"
    r"\bis\b|\bare\b|'s\b|\blautet\b|\bist\b|\bheißt\b|\best\b|\bes\b|\bé\b|\bè\b|\bjest\b|\bär\b|—|"
    r"-(?=\s)|\breads\b|\bspel(?:led|t|ls)\b|\b(?:begins|starts|ends) with\b|"
    r"\b(?:has been|was|became|remains|stays)\b(?!\s+\w+(?:ed|en|ing|[ao]ght|[ao]wn|[eo]t|ost)\b))"
)
NO_VALUE = (
    r"(?!\s*(?:not?|never|nicht|nie|stored|kept|managed|saved|in|on|at|from|under|with|by|the|a|an|my|your|our|his|her|"
    r"their|very|too|so|set|required|needed|wrong|correct|expired|lost|forgotten|reset|changed|rotated|weak|strong|"
    r"safe|secret|private|important|long|short|different|hard|easy|manager|managers|managed|protected|authentication|"
    r"equal|null|nil|none|undefined|empty|blank|nothing|anything|something|one|two|three|four|five|six|seven|eight|"
    r"used|only|always|about|due|unknown|required|gesperrt|falsch|vergessen|geändert|what|that|this|it|ist|sind|wird|im|in|auf|bei|dans|en|sur)\b)"
)
MIXED = (
    r"(?<![\w/.@:-])(?-i:(?=\S{0,39}[a-z])(?=\S{0,39}[A-Z])(?=\S{0,39}\d)(?=\S{0,39}[!#$%^&*?+=~]))"
    r"\S{7,40}(?=[\s.,;!?]|$)"
)
VALUE = r"(?P<value>[^\s,;]{3,}?)(?=[.,;!?]?(?:\s|$))"
CODE = (
    r"(?P<code>(?![vV]?\d+(?:\.\d+)+\b)(?:(?=\S*\d)(?=\S*[^\W\d])\S{4,}?|[#*]?\d{4,12}[#*]?|\d{1,3}(?:-\d{1,3}){2,}))"
    r"(?=[.,;!?]?(?:\s|$))"
)
"""What can only be a value: letters with digits, four digits or more, the turns of a lock."""
DIGIT_WORDS = (
    r"zero|one|two|three|four|five|six|seven|eight|nine|oh|null|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|"
    r"zéro|un|deux|trois|quatre|cinq|sept|huit|neuf|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve"
)

PHRASE = (
    r"pass[ -]?(?:phrase|sentence)|pass?satz|kennsatz|phrase (?:secrète|de passe)|"
    r"frase (?:de (?:contraseña|paso|acceso)|secreta|segreta|d'accesso)|frase-passe|wachtwoordzin"
)
"""What is made of several words."""
_OF_TALK = (
    r"a|an|the|and|or|but|of|in|on|at|to|for|from|by|with|is|are|was|were|be|been|it|its|this|that|these|those|my|your|our|"
    r"his|her|their|i|you|we|they|he|she|not|no|never|very|too|so|as|than|then|again|now|today|yet|still|already|always|"
    r"every|each|all|any|some|only|also|just|enough|everywhere|anywhere|here|there|when|where|which|who|what|why|how|"
    r"because|since|until|if|can|could|will|would|shall|should|must|may|might|has|have|had|do|does|did|"
    r"words?|letters?|characters?|chars|digits?|symbols?|random|times?|wrong|weak|strong|secure|different|same|guess|"
    r"\w+ly|required|needed|stored|kept|saved|changed|expired|lost|forgotten|rotated|managed|"
    r"und|oder|aber|der|die|das|den|dem|ein|eine|ist|sind|nicht|kein|keine|zu|sehr|im|in|auf|bei|mit|von|für|immer|"
    r"überall|wieder|noch|schon|wörter|zeichen|falsch|lang|"
    r"le|la|les|un|une|des|de|du|et|ou|pas|très|trop|dans|sur|avec|pour|est|mots?|partout|encore|"
    r"el|los|las|una|y|o|no|muy|en|con|para|por|es|palabras?|siempre"
)
WORDS = rf"(?:(?!(?:{_OF_TALK})\b)[^\W\d_]{{2,}}(?:[ \t-]+|(?=[.,;!?\"'`”“»]*(?:\s*$|\s*\n|[.,;!?]))))"
"""One of several words of which no sentence is made; three of them or more are a phrase."""
FACTOR = (
    r"(?:(?:2fa|mfa|two[ -]factor|otp|totp|one[ -]time|single[ -]use|backup|recovery|rescue|verification|"
    r"authenticat(?:ion|or)|emergency|sms|unlock|security)[ -]?){1,3}(?:codes?|keys?|pins?)|"
    r"(?:sicherungs|wiederherstellungs|notfall|ersatz|einmal|backup-?|sms-?|entsperr)(?:codes?|kennwort|pins?)|"
    r"codes? (?:de (?:secours|récupération|sauvegarde|vérification|validation|déverrouillage)|à usage unique)|"
    r"c(?:ó|o)digos? de (?:respaldo|recuperaci(?:ó|o)n|verificaci(?:ó|o)n|seguridad|emergencia|un solo uso)|"
    r"codic[ei] di (?:recupero|backup|verifica|sicurezza)|c(?:ó|o)digos? de (?:recuperação|verificação|segurança)"
)
"""A code that stands in for a second factor, or that was sent for one."""
FACTOR_CJK = (
    r"(?:バックアップ|リカバリー?|復旧|回復|認証|ワンタイム|備用|备用|恢复|恢復|验证|驗證|백업|복구|인증)\s?"
    r"(?:コード|キー|番号|代码|代碼|码|碼|코드|번호)"
)
ENDS = r"(?=[.,;!?)\"'`”“»]*(?:\s*$|\s*\n|[.,;!?]|\s+(?:and|or|for|und|oder|für|et|ou|pour|y|o|para|e|per)\b))"
"""Nothing is said of the value: it is no number of lines."""
NUMBER = (
    r"(?P<value>(?!(?:19|20)\d\d(?!\d|[ -]\d))(?=[^\s\d]*\d)(?=(?:[^\s\d]*[ ]?\d){4})"
    r"[A-Za-z0-9]{3,}(?:(?:-| (?=[^\s\d]*\d))[A-Za-z0-9]{2,}){0,5})"
)
"""Four digits or more among letters, in groups; no year."""
