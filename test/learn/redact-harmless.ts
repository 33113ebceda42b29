// Lines as agents see and write them, with nothing in them to hide: redaction must leave them alone.

const WRITTEN = String.raw`
the password field is required
token limit exceeded
password = input()
password = getpass.getpass("Password: ")
token: string
password: str
password?: string;
readonly accessToken: string | null;
def login(self, username: str, password: str) -> bool:
async function signIn(email: string, password: string): Promise<Session> {
return bcrypt.compare(password, user.passwordHash);
login(username=username, password=password)
client = OpenAI(api_key=api_key)
client = OpenAI(api_key=os.environ["OPENAI_API_KEY"])
const token = process.env.GITHUB_TOKEN;
const secret = config.get("jwt.secret");
token = response.json()["access_token"]
api_key = settings.API_KEY
password = $PASSWORD
PASSWORD=${"$"}{DB_PASSWORD}
password: {{ db_password }}
password: <password_1>
{"password": "<password_1>", "token": "<token_2>"}
password=***
password: ********
Password: [REDACTED]
api_key: YOUR_API_KEY
export API_KEY=<your key here>
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Bearer ${"$"}{{ secrets.DEPLOY_TOKEN }}
curl -u $USER:$PASS https://example.com
https://user:<password_1>@example.com/
postgres://localhost:5432/test
postgres://app@db.internal/orders
redis://cache:6379/0
https://example.com:8443/path/@team/page
The API key is invalid or expired.
Your password is incorrect. Please try again.
The password is case-sensitive.
Password must be at least 8 characters long and contain one digit.
{"password": ["This field is required."]}
{"errors": {"password": "is too short (minimum is 8 characters)"}}
'password' => 'required|string|min:8|confirmed',
"password": "Passwort",
Forgot your password? Click here to reset it.
[23] textbox 'Password' required
[24] textbox "Password", clickable, visible
StaticText 'Password:'
<label for="password">Password</label>
<input type="password" id="password" name="password" autocomplete="current-password">
Enter your password:
Username:
Password:
Sign in
type [164] [password] where id is the field
readFile('/etc/passwd', 'utf8', callback);
The password for the admin account is stored in the vault.
password - at least 8 characters
password sha256 digest of the file
The token is sent to the address on file.
[Buffer 02 01 04 03 06 05 08 07]
ed25519 (OID 1.3.101.112)
function createCipher(algorithm: CipherTypes, password: BinaryLike, options?: Options): Cipher;
paths: ['password', 'secrets.*', 'users.*.credentials'],
readonly session: ServerHttp2Session;
key: KeyObject | CryptoKeyPair
The secret ingredient is cinnamon.
Secret Santa: who gives what to whom
secret: true
secrets: inherit
kind: Secret
max_tokens: 4096
max_tokens=4096, temperature=0.7
"prompt_tokens": 1532, "completion_tokens": 88, "total_tokens": 1620
"usage": {"input_tokens": 2048, "output_tokens": 512}
token_type: bearer
"token_type": "Bearer", "expires_in": 3600
next_page_token: CAUQAA
nextToken: null
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
pad_token = "[PAD]"
eos_token_id: 50256
Invalid token at line 12, column 7
SyntaxError: Unexpected token < in JSON at position 0
The bearer of this letter is my brother.
Basic economy passengers cannot change flights.
Basic Authentication is deprecated
basic usage: run the script with no arguments
primary key: id
PRIMARY KEY (order_id, line_no)
foreign key (user_id) references users(id)
cache_key: user_profile_v2_12345
sort_key = "created_at"
key: value
key: 3f786850e387550fdab836ed7e6dc881de23001b
"key": "PROJ-1234"
partition_key: 2024-05-20#eu-west-1
idempotency_key: 4f1d3a52-7c1e-4b4e-9e0e-6a8d6a7f2b11
public_key: 04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd
keyboard.press("Enter")
press('142', 'Control+a')
monkey = Monkey(name="George")
keyword: "wireless headphones"
keys: ["name", "email", "password"]
["username", "password", "remember_me"]
columns: id, email, password_hash, created_at
password_hash: null
author: Jane Doe
authority: example.com
authenticated: true
auth: oauth2
auth_method=password
passengers: 2 adults, 1 child
passport_required: yes
passed: 45, failed: 2
pass: 12 tests, fail: 0
bypass=true
compass: north-north-west
session: 12 exercises, 45 minutes
Session expired, please log in again
cookie: chocolate chip
accept all cookies
signature: def main(argv: list[str]) -> int
sig: (int, int) -> bool
design system: material
credentials: include
fetch(url, { credentials: "same-origin" })
pwd
PWD=/home/ann/projects/shop
cwd: /var/www/html/app
cd /usr/local/lib/node_modules/npm/bin
/etc/ssl/private/server.key
key_file: /etc/ssl/private/server.pem
token_file: /var/run/secrets/kubernetes.io/serviceaccount/token
ssl_certificate_key /etc/nginx/certs/site.key;
C:\Users\ann\AppData\Local\Temp\report.docx
./node_modules/.bin/vitest run test/learn
src/components/PasswordField.tsx:42:17
go to shelf 8
On the drawer 3, you see a keychain 2, and a cd 1.
put keychain 2 in/on drawer 1
open safe 1
take keychain 1 from sidetable 2
click('149')
click('a51')
fill('237', 'dog beds between $10 and $20')
select_option('c3-a7', 'Sort by price')
scroll(0, 500)
goto('https://shop.example.com/catalogsearch/result/?q=usb+wifi&p=2')
noop(1000)
send_msg_to_user('The order #000000187 was placed on 5/2/2023.')
report_infeasible('The page does not list phone numbers.')
search[long clip-in hair extension natural looking]
click[B09QQLDJ93]
[B08H5DCD65]
[Buy Now]
Page 1 (Total results: 50)
$34.89
Price: $1,299.00 (was $1,499.00)
EUR 12.50 per month, billed yearly
1 234 567,89 EUR
book_reservation({"user_id":"mia_li_3668","origin":"JFK","destination":"SEA"})
"payment_methods": {"certificate_4856383": {"source": "certificate", "amount": 100}}
"credit_card_4421486": {"source": "credit_card", "brand": "visa", "last_four": "7447"}
{"reservation_id": "NO6JO3", "user_id": "mia_li_3668"}
reservation ids: ZFA04Y, 4WQ150, VAAOXJ
flight HAT069 departs at 06:00:00 and arrives at 12:00:00
"flight_number": "HAT083", "date": "2024-05-20", "price": 137
"dob": "1990-04-05", "zip": "98186"
"address1": "364 Sunset Drive", "city": "Miami", "state": "FL", "zip": "33101-4520"
Order #112-3487561-2938475 has shipped
order_id: 4029357733
Order number 302-9837465-1122334
invoice INV-2024-000183
tracking number 1Z999AA10123456784
SKU: 24-WB04
ISBN 978-3-16-148410-0
ISBN: 9783161484100
ISSN 2049-3630
DOI 10.1000/182
arXiv:2310.02304v2
EAN 4006381333931
UPC 012345678905
VIN 1HGCM82633A004352
PMID: 31452104
ticket ABC-1234 is blocked by ABC-1230
commit 3f786850e387550fdab836ed7e6dc881de23001b
git checkout 89e6c98d92887913cadf06b2adb97f26cde4849b
Merge pull request #1234 from ann/fix-login
index 8f3b2a1..c7d9e0f 100644
@@ -12,7 +12,9 @@ export function parse(text: string)
+    return 1700000000;
-  const limit = 4096;
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==
"integrity": "sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg=="
etag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
md5: d41d8cd98f00b204e9800998ecf8427e
id: 550e8400-e29b-41d4-a716-446655440000
request_id=7b0c1a52-0f1e-4b4e-9e0e-6a8d6a7f2b11 status=200
trace_id: 4bf92f3577b34da6a3ce929d0e0e4736 span_id: 00f067aa0ba902b7
traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
01ARZ3NDEKTSV4RRFFQ69G5FAV
cjld2cjxh0000qzrmn831i7rn
507f1f77bcf86cd799439011
2024-05-20T14:05:59.123Z
2024-05-20 14:05:59,123 INFO worker started
1716213959123
1716213959
Mon, 20 May 2024 14:05:59 GMT
20.05.2024 14:05 Uhr
05/20/2024 2:05 PM
12:30:45
duration 00:01:23.456
40.7128, -74.0060
{"lat": 48.858370, "lon": 2.294481}
51.5007° N, 0.1246° W
3.141592653589793
0.4111111111111111
1e-10
6.02214076e23
v1.2.3
version 1.2.3.4
node v20.19.4
Chrome/120.0.0.0 Safari/537.36
Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)
numpy==1.26.4
"typescript": "^5.4.2"
requires python >=3.9,<3.13
1.3.6.1.4.1.311.21.20
Section 3.2.1.4 Error handling
127.0.0.1
http://127.0.0.1:8080/health
listening on 0.0.0.0:3000
::1
[::]:8080
255.255.255.0
http://localhost:3000/api/items?page=2&limit=50
https://github.com/ann/repo/blob/main/src/index.ts#L10-L20
git clone git@github.com:ann/repo.git
npm install @types/node@20.19.4
icon@2x.png
@app.route("/login", methods=["POST"])
@Injectable()
docker pull registry.example.com/team/app:1.4.2
docker run -p 8080:80 -e NODE_ENV=production nginx
aa:bb:cc:dd:ee:ff
std::vector<int> values;
Foo::Bar.new(baz)
#ff8800
color: #1e90ff; background: rgba(0, 0, 0, 0.5);
width: 1024px; height: 768px
<svg viewBox="0 0 24 24"><path d="M12 2C6.48 2 2 6.48 2 12s4.48 10 10 10"/></svg>
SELECT id, name, price FROM products WHERE price < 20.00 ORDER BY price DESC LIMIT 10;
INSERT INTO users (id, email, password) VALUES ($1, $2, $3);
UPDATE users SET password = ? WHERE id = ?;
SELECT * FROM users WHERE password = :password
ALTER TABLE users ADD COLUMN password VARCHAR(255) NOT NULL;
CREATE TABLE tokens (id SERIAL PRIMARY KEY, token TEXT NOT NULL);
GRANT SELECT ON orders TO reporting;
Traceback (most recent call last):
  File "/app/main.py", line 42, in <module>
KeyError: 'token'
ValueError: invalid literal for int() with base 10: 'abc'
TypeError: Cannot read properties of undefined (reading 'token')
ModuleNotFoundError: No module named 'secrets'
import secrets
from getpass import getpass
if not token: raise ValueError("token missing")
if (!apiKey) throw new Error("API key missing");
assert password != ""
assert token is not None
for key, value in headers.items():
for token in doc: print(token.text, token.pos_)
print(f"password: {password}")
logger.info("token: %s", token)
console.log("key:", key);
raise PermissionError("secret: access denied")
--password PASSWORD  the password to use
--token TOKEN        the access token (default: none)
usage: login [-h] [--user USER] [--password PASSWORD]
-p, --password string   Password
Set the --password flag to the value of the environment variable.
POST /api/v1/login HTTP/1.1
Content-Type: application/json; charset=utf-8
Content-Length: 348
Set-Cookie: theme=dark; Path=/; HttpOnly
HTTP/1.1 401 Unauthorized
WWW-Authenticate: Basic realm="Restricted"
{"status": "ok", "count": 3, "items": [1, 2, 3]}
{"name": "Ann", "age": 42, "tags": ["a", "b"]}
[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
100 200 300 400 500
1000 2000 3000 4000
population 8,336,817 (2022)
Call me Ishmael.
Chapter 12. The phone rang twice.
iPhone 13 Pro Max 256GB
phone case for Samsung Galaxy S21
mobile: no
Total: 3 items, 2.5 kg, 12 x 30 x 45 cm
The meeting is on 12-05-2024 at 10:00 in room 4.117.
Open 9-5, Mon-Fri
score 3-2-1
5 out of 5 stars (1,204 ratings)
Windows 10 22H2 build 19045.4412
RFC 9457, ISO 8601, IEEE 802.11
A4, 80 g/m2, 500 sheets
B-52, F-16, A-10
GPT-4o, claude-3-5-sonnet-20241022, llama-2-13b-chat-hf
Qwen_Qwen2.5-VL-72B-Instruct
us-east-1, eu-central-1, ap-southeast-2
arn:aws:s3:::my-bucket/path/to/object
projects/my-project/locations/europe-west1
sk-learn is installed as scikit-learn
pip install sk-video hf-transfer
npm_config_registry=https://packages.example.com/
npm_lifecycle_event=test
task-1234-abcd
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk
internationalization and incomprehensibilities
antidisestablishmentarianism
aGVsbG8gd29ybGQ=
AbstractSingletonProxyFactoryBean
thisIsAVeryLongCamelCaseIdentifierName
THE_MAXIMUM_NUMBER_OF_RETRIES
Lorem ipsum dolor sit amet, consectetur adipiscing elit.
-----BEGIN CERTIFICATE-----
looks for a -----BEGIN PRIVATE KEY----- line in the file
-----END CERTIFICATE-----
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ ann
Die Sitzung ist abgelaufen, bitte melden Sie sich erneut an.
Le mot de passe est obligatoire.
La contraseña es obligatoria
パスワードを入力してください
请输入密码
Неверный пароль
`;

const hex = "0123456789abcdef";
/** The digits of a number written in base 16, spread so that neighbours look nothing alike. */
const scrambled = (seed: number, length: number): string => {
  let value = (seed * 2_654_435_761) >>> 0;
  let text = "";
  for (let i = 0; i < length; i += 1) {
    value = (Math.imul(value, 1_664_525) + 1_013_904_223) >>> 0;
    text += hex[value >>> 28] ?? "";
  }
  return text;
};

const MADE = Array.from({ length: 12 }, (_, i) => [
  `* ${scrambled(i, 40)} (origin/main) Fix the ${["login", "search", "cart"][i % 3] ?? ""} page`,
  `job ${scrambled(i + 100, 8)}-${scrambled(i + 1, 4)}-4${scrambled(i + 2, 3)}-a${scrambled(i + 3, 3)}-${scrambled(i + 4, 12)} finished in ${i * 37 + 5} ms`,
  `Order ${1_000_000_000 + i * 7_654_321} was refunded: $${(i * 13.37 + 4).toFixed(2)}`,
  `GET /api/items/${i * 991 + 17}?v=${i}.${i + 1}.0 200 ${i * 311 + 90}b`,
  `{"lat": ${(48 + i / 7).toFixed(6)}, "lon": ${(2 + i / 3).toFixed(6)}, "ts": ${1_716_213_959_000 + i * 86_400_000}}`,
  `background: #${scrambled(i + 50, 6)};`,
]).flat();

export const HARMLESS: readonly string[] = [...WRITTEN.split("\n").filter((line) => line !== ""), ...MADE];
