"""What a file gives to names for passwords does not reach the model; code about passwords and placeholders do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sessions.tools.test_workspace import call

MARK = "[a secret was left out: password]"


def read(tmp_path: Path, text: str, name: str = "deploy.conf") -> str:
    folder = tmp_path / "atlas"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    return call(tmp_path, folder, "read_file", path=name).content


SECRETS = r"""
define('DB_PASSWORD', 'geheim77'); ~ geheim77
'password' => 'geheim77', ~ geheim77
PGPASSWORD=foo1234 psql -h x ~ foo1234
<password>tiger99x</password> ~ tiger99x
<db:password type="plain">tiger</db:password> ~ tiger<
"password": "correcthorse" ~ correcthorse
DB_PASSWORD='abcd efgh' ~ efgh
secretKey: kQ7dVx2b/9mTzLpW4cYh ~ 9mTz
password = "correct horse" ~ horse
password: "correct horse battery" ~ battery
password = "correct 'horse" ~ horse
DB_PASS=Tr0ub4dor&3 ~ Tr0ub
export REDIS_PASSWORD='sunflower' ~ sunflower
passphrase: correct horse battery staple ~ horse
passphrase: sunflower field it's (all) ~ field
  "db_password": "hunter22", ~ hunter22
spring.datasource.password=tiger99 ~ tiger
password: sunflower ~ sunflower
  password = sunflower ~ sunflower
<property name="password" value="tiger"/> ~ tiger
<add key="DbPassword" value="tiger99x" /> ~ tiger
<string name="api_key">abcd1234efgh</string> ~ abcd1234
- name: DB_PASSWORD<br>  value: geheim77 ~ geheim77
{"name": "DB_PASSWORD", "value": "geheim"} ~ geheim
CREATE USER joe WITH PASSWORD 'geheim'; ~ geheim
CREATE USER joe IDENTIFIED BY 'geheim'; ~ geheim
mysql --password geheim7 -u root ~ geheim
tool --api-key=abcd1234xyz ~ abcd1234
ENV DB_PASSWORD geheim77 ~ geheim
machine x login joe password hunter ~ hunter
curl -u admin:geheim https://x ~ geheim
sshpass -p geheim ssh x ~ geheim
requirepass foobared ~ foobared
#define WIFI_PASSWORD "geheim wort" ~ geheim
password: str = "geheim77" ~ geheim
const char password[] = "geheim77"; ~ geheim
const password string = "geheim77" ~ geheim
{\"password\": \"geheim77\"} ~ geheim
Server=db;Password=geheim77;Database=x ~ geheim
host=db password=geheim77 user=me ~ geheim
x.put("password", "geheim77"); ~ geheim
password: |<br>    geheim wort ~ geheim
**Password:** geheim77 ~ geheim77
| admin password | geheim77 | ~ geheim77
if password == "geheim77": ~ geheim
X-Api-Key: 8f2a9c7e6b11 ~ 8f2a
clientSecret = "8f2a9c7e6b11" ~ 8f2a
SECRET_KEY_BASE=abcdefabcdef12 ~ abcdef
password: hunter22 # rotate ~ hunter22
dbPassword: "sunny" ~ sunny
password: kQ7dVx2b9mTzLpW4cYh= ~ kQ7d
admin_pw = hunter ~ hunter
$password = "tiger"; ~ tiger
aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzKEY ~ wJalr
https://x.org/v1?api_key=abcdef123456&x=1 ~ abcdef
"token": "a8f5f167f44f4964" ~ a8f5f
DB_PASSWORD2=foo bar ~ foo
password1: sunflower ~ sunflower
user: joe, password: sunflower ~ sunflower
{user: "joe", password: 'sunflower'} ~ sunflower
TOKEN=abcd ~ abcd
password='it\'s me77' ~ me77
The password is hunter22. ~ hunter22
postgres://joe:geheim77@db/x ~ geheim77
""".strip("\n").split("\n")

READABLE = r"""
DB_PASS=$DB_PASS
DB_PASS=${VAULT_PASS}
DB_PASSWORD=os.environ["X"]
key_passphrase: str = ''
key_passphrase = ask_for(user)
OLD_PWD=/home/me
COMPASS=north
MAX_TOKENS=4096
max_token = 4096
db_password = "none"
password: str
def login(user: str, password: str) -> None:
def login(user: str, password: str | None = None):
password = os.environ["DB_PASSWORD"]
password = os.getenv("DB_PASSWORD")
password = getpass()
password = getpass.getpass("Password: ")
password = input("Enter your password: ")
password = None
password: Optional[str] = None
password?: string;
password: string
String password;
private final String password;
this.password = password;
self.password = password
token = next(tokens)
token: Token
const { password } = req.body;
const password = req.body.password;
password: process.env.DB_PASSWORD,
password: ${{ secrets.DB_PASSWORD }}
password: {{ vault_password }}
password: <your password>
password: "<password>"
password: "changeme"
"password": "your-password-here"
"password": "string"
"password": {"type": "string"}
'password' => 'required|string',
<input type="password" name="password" value="">
<label for="password">Password</label>
["username", "password", "email"]
"password": "Password"
"password": "Passwort"
"password": "Please enter your password."
parser.add_argument("--password", help="the password")
password = models.CharField(max_length=128)
password=password,
password = user_password
if password == stored:
if not password:
password := r.FormValue("password")
$password = $_POST['password'];
secret: my-db-secret
secretName: db
token_type: bearer
tokenUrl: "https://example.com/token"
api_key = os.environ.get("API_KEY")
apiKey: string
key: value
password: !vault |
password VARCHAR(255) NOT NULL,
The password is stored in the vault.
password: see the vault
Password: ask Tom
db_password = var.db_password
password = data.vault.db.password
password: ********
passphrase=None,
password_file: /run/secrets/db
password: /run/secrets/db
password_hash = bcrypt(password)
secret_key = secrets.token_hex(32)
pass
passed: 3
pass: true
keyboard: qwerty1
assert password, "x"
let password: String,
password: Option<String>,
fn check(password: &str) -> bool {
func check(password string) error {
token: "string.quoted"
csrf_token = "abc"
--password PASSWORD
  --password <PW>
usage: x [--token TOKEN]
""".strip("\n").split("\n")


@pytest.mark.parametrize("line", SECRETS)
def test_a_password_under_its_name_is_left_out(tmp_path: Path, line: str) -> None:
    line, _, secret = line.rpartition(" ~ ")
    line = line.replace("<br>", "\n")
    told = read(tmp_path, f"first\n{line}\nlast\n")
    assert secret not in told and "[a secret was left out: " in told
    assert told.startswith("first\n") and told.endswith("\nlast") and told.count("\n") == 2 + line.count("\n")
    assert told.count("[a ") == told.count("[a secret was left out: ") and told.count("left out: password") <= 1
    found = call(tmp_path, tmp_path / "atlas", "search_files", text=line[:6]).content
    assert secret not in found


@pytest.mark.parametrize("name", ["deploy.sh", "deploy.py"])
@pytest.mark.parametrize("line", READABLE)
def test_code_types_and_placeholders_are_read_as_they_are(tmp_path: Path, line: str, name: str) -> None:
    assert read(tmp_path, f"first\n{line}\nlast\n", name) == f"first\n{line}\nlast"


def test_in_a_program_a_name_alone_is_no_password_and_a_text_is(tmp_path: Path) -> None:
    code = "db = connect(password=sunflower, secret=field)\n# password: hunter22\ndb.password = 'sunny field'\n"
    told = read(tmp_path, code, "main.py")
    assert told == f"db = connect(password=sunflower, secret=field)\n# password: {MARK}\ndb.password = '{MARK}'"
    assert "sunflower" not in read(tmp_path, "password=sunflower\n", "main.ini")


def test_lists_of_words_in_a_program_are_no_recovery_phrase(tmp_path: Path) -> None:
    words = "live house river stone paper green cloud seven table chair mouse bread"
    assert read(tmp_path, f'WORDS = "{words}"', "words.py") == f'WORDS = "{words}"'
    assert "river" not in read(tmp_path, f'seed = "{words}"', "words.py")
    assert "river" not in read(tmp_path, words, "notes.txt")


def test_marks_that_stand_in_a_file_stay_as_they_are(tmp_path: Path) -> None:
    text = f"was: {MARK}\npassword = {MARK}\nLEFT = '[a secret was left out: {{}}]'"
    assert read(tmp_path, text, "log.txt") == text
    again = read(tmp_path, read(tmp_path, "the login is joe\npassword: tiger99 password=tiger99"), "again.txt")
    assert "tiger" not in again and again.count("[a ") == again.count("[a secret was left out")


@pytest.mark.parametrize(
    "bit", ["password = ", "password: a b ", "curl -u a:", "<password>", "| password ", "name: ", "x.y-"]
)
def test_a_long_odd_line_takes_no_long_time(tmp_path: Path, bit: str) -> None:
    assert read(tmp_path, bit * (60_000 // len(bit)), "wide.txt")
