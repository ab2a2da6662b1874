r"""What the tokens of vendors look like: prefixes, alphabets and lengths, as the vendors and the maintained lists of
detectors (gitleaks, trufflehog, detect-secrets, secretlint) publish them.

Owns the table and nothing else; `secret_finders` finds with it. Nothing is compiled before a text was suspected.
"""

import re
from functools import cache
from typing import NamedTuple

# A kind that is found by the name in front of it, not by its own shape.
PASSWORD, SECRET, AWS_SECRET = "password", "secret", "aws-secret-key"
PRIVATE_KEY, AUTHORIZATION, COOKIE, URL_PASSWORD = "private-key", "authorization", "cookie", "url-password"
MARKED = ""
# What stands where a secret was.
MARK_START = "[redacted:"
MARK = re.compile(rf"{re.escape(MARK_START)}[a-z0-9-]{{1,32}}:[0-9a-f]{{10}}\]")


class Shape(NamedTuple):
    """A token that is known by its own form; group 1 (or the whole match) is the secret."""

    kind: str
    literals: tuple[str, ...]  # one of them begins every match, or stands at most `back` characters after its start
    pattern: str
    edge: bool = False  # the prefix is too short to count in the middle of a word
    back: int = 0
    announced: str = ""  # what follows a literal that is short, or the whole, for a scanner that cannot look around


_A, _W, _H, _B = "[A-Za-z0-9]", "[A-Za-z0-9_-]", "[0-9a-f]", "[A-Za-z0-9+/]"
_END = r"(?![A-Za-z0-9])"


def _prefixed(kind: str, prefixes: str, body: str, edge: bool = False) -> Shape:
    """Literals, then a body: nearly every vendor's."""
    words = tuple(prefixes.split())
    first = next((chars for chars in ("[A-Z0-9]", _H) if body.startswith(chars)), "[A-Za-z0-9_+/=.:%$~-]")
    counted = re.match(r"\[[^]]*\]\{(\d+)", body)
    size = min(8 if min(map(len, words)) < 5 else 4, int(counted[1]) if counted else 4)
    few = rf"(?:{first}|\\\\[nr]){{{size}}}"
    return Shape(kind, words, rf"(?:{'|'.join(map(re.escape, words))}){body}", edge, announced=few)


SHAPES = (
    # models
    _prefixed("anthropic", "sk-ant-", _W + "{20,}"),
    Shape("openai", ("sk-",), r"sk-(?!ant-|or-v)[A-Za-z0-9_-]{20,}", edge=True, announced="[A-Za-z0-9_-]{6}"),
    _prefixed("openrouter", "sk-or-v1- sk-or-v2-", _W + "{20,}"),
    _prefixed("groq", "gsk_", _A + "{40,}"),
    _prefixed("xai", "xai-", _A + "{40,}", edge=True),
    _prefixed("replicate", "r8_", _A + "{36,}", edge=True),
    _prefixed("perplexity", "pplx-", _A + "{32,}"),
    _prefixed("huggingface", "hf_ api_org_", _A + "{30,}", edge=True),
    _prefixed("nvidia", "nvapi-", _W + "{40,}"),
    _prefixed("cerebras", "csk-", _A + "{40,}", edge=True),
    _prefixed("fireworks", "fw_", _A + "{22,}" + _END, edge=True),
    _prefixed("together", "tgp_v1_", _W + "{30,}"),
    _prefixed("pinecone", "pcsk_", _A + "{4,8}_" + _A + "{40,}"),
    _prefixed("langsmith", "lsv2_pt_ lsv2_sk_", _H + "{32}_" + _H + "{10}"),
    _prefixed("tavily", "tvly-", _W + "{20,}"),
    _prefixed("firecrawl", "fc-", _H + "{32}" + _END, edge=True),
    _prefixed("jina", "jina_", _A + "{40,}"),
    _prefixed("runpod", "rpa_", "[A-Z0-9]{30,}[a-z0-9]{0,10}", edge=True),
    _prefixed("elevenlabs", "sk_", _H + "{48}" + _END, edge=True),
    _prefixed("e2b", "e2b_", _H + "{40}" + _END, edge=True),
    _prefixed("voyage", "pa-", _W + "{43}" + _END, edge=True),
    _prefixed("mem0", "m0-", _A + "{40}" + _END, edge=True),
    _prefixed("context7", "ctx7sk-", _H + "{8}(?:-" + _H + "{4}){3}-" + _H + "{12}", edge=True),
    _prefixed("browserbase", "bb_live_ bb_test_", _W + "{24,}", edge=True),
    _prefixed("wandb", "wandb_v1_", _A + "{60,}"),
    _prefixed("kaggle", "KGAT_", _H + "{32}" + _END, edge=True),
    _prefixed("modal", "ak- as-", _A + "{22}" + _END, edge=True),
    _prefixed("cursor", "key_", _H + "{64}" + _END, edge=True),
    _prefixed("factory", "fk-", _W + "{40,}", edge=True),
    # clouds
    Shape("aws-access-key", ("AKIA", "ASIA", "ABIA", "ACCA"), r"A(?:[KSB]I|CC)A[A-Z2-7]{16}" + _END, edge=True),
    _prefixed("aws-bedrock", "ABSK bedrock-api-key-", _B + "{60,}={0,2}", edge=True),
    _prefixed("amazon-mws", "amzn.mws.", _H + "{8}(?:-" + _H + "{4}){3}-" + _H + "{12}"),
    Shape("google", ("AIza",), r"AIza[A-Za-z0-9_-]{35}", edge=True),
    _prefixed("google", "ya29.", r"[A-Za-z0-9_.-]{20,}"),
    _prefixed("google", "GOCSPX-", _W + "{20,}"),
    _prefixed("google", "AQ.", "Ab8R" + _W + "{40,}", edge=True),
    Shape("google", ("1//0",), r"1//0[A-Za-z0-9_-]{40,}", edge=True),
    Shape("azure", ("Q~",), r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}", edge=True, back=4),
    Shape("azure", ("AccountKey=", "SharedAccessKey="), r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})"),
    Shape("azure", ("sig=",), r"sig=([A-Za-z0-9%+/]{40,}={0,2})", edge=True),
    Shape("azure", ("AZDO",), r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}" + _END, edge=True, back=76),
    Shape("azure", ("JQQJ99",), r"[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{22,30}" + _END, edge=True, back=52),
    Shape(
        "azure",
        ("AzCa", "+ABa", "+AMC", "+ASt", "AzFu", "AzSe", "ACDb", "+ARm"),
        r"[A-Za-z0-9+/]{32,76}(?:AzCa|\+ABa|\+AMC|\+ASt|AzFu|AzSe|ACDb|\+ARm)[A-Za-z0-9+/]{5,7}={0,2}",
        edge=True,
        back=76,
    ),
    _prefixed("alibaba", "LTAI", _A + "{12,20}" + _END, edge=True),
    _prefixed("tencent", "AKID", _A + "{32}" + _END, edge=True),
    _prefixed("digitalocean", "doo_v1_ dop_v1_ dor_v1_", _H + "{64}"),
    _prefixed("heroku", "HRKU-", _W + "{30,}", edge=True),
    _prefixed("cloudflare", "cfk_ cfut_ cfat_", _A + "{40,}"),
    _prefixed("cloudflare", "v1.0-", _H + "{24}-" + _H + "{146}", edge=True),
    _prefixed("fly", "fo1_ fm1_ fm2_ fm1r_ fm1a_", "[A-Za-z0-9+/=_-]{40,}", edge=True),
    _prefixed("vercel", "vcp_ vci_ vca_ vcr_ vck_", _A + "{24,}", edge=True),
    _prefixed("netlify", "nfp_ nfc_ nfo_ nfb_ nfu_", _A + "{36,}", edge=True),
    _prefixed("render", "rnd_", _A + "{28,}", edge=True),
    _prefixed("scalingo", "tk-us-", _W + "{48}", edge=True),
    _prefixed("yandex", "AQVN", _W + "{35,38}", edge=True),
    Shape("yandex", ("t1.",), r"t1\.[A-Z0-9a-z_-]+={0,2}\.[A-Z0-9a-z_-]{86}={0,2}", edge=True),
    _prefixed("openshift", "sha256~", _W + "{43}"),
    _prefixed("tailscale", "tskey-", r"[a-z]{3,12}-[A-Za-z0-9]{8,}-[A-Za-z0-9]{20,}"),
    _prefixed("databricks", "dapi", _H + "{32}(?:-[0-9])?" + _END, edge=True),
    _prefixed("planetscale", "pscale_tkn_ pscale_oauth_ pscale_pw_", r"[A-Za-z0-9=._-]{32,64}"),
    _prefixed("supabase", "sbp_", "(?:v[0-9]_)?" + _H + "{40}", edge=True),
    _prefixed("supabase", "sb_secret_", _W + "{20,}"),
    _prefixed("neon", "napi_", _A + "{40,}", edge=True),
    _prefixed("clickhouse", "4b1d", _A + "{38}" + _END, edge=True),
    _prefixed("datastax", "AstraCS:", r"[A-Za-z]{20,}:[0-9a-f]{60,}"),
    # code and packages
    _prefixed("github", "ghp_ gho_ ghu_ ghs_ ghr_", _A + "{36,}"),
    _prefixed("github", "github_pat_", r"[A-Za-z0-9_]{22,}"),
    _prefixed(
        "gitlab",
        "glpat- glptt- gldt- glrt- glrtr- glcbt- glsoat- glft- glffct- glimt- glagent- gloas- glwt-",
        _W + r"{20,}(?:\.[A-Za-z0-9_-]{2,}\.[A-Za-z0-9]{9}|\.[0-9a-z]{9})?",
    ),
    _prefixed("gitlab", "GR1348941", _W + "{20,}", edge=True),
    Shape("gitlab", ("_gitlab_session=",), r"_gitlab_session=([0-9a-z]{32})"),
    _prefixed("atlassian", "ATATT3 ATCTT3 ATSTT3", r"[A-Za-z0-9_=-]{60,}", edge=True),
    _prefixed("atlassian", "ATBB", _A + "{32}" + _END, edge=True),
    _prefixed("trello", "ATTA", _H + "{64}" + _END, edge=True),
    _prefixed("axiommind", "axmp_", _W + "{40,}"),
    _prefixed("npm", "npm_", _A + "{36,}"),
    _prefixed("pypi", "pypi-", _W + "{40,}"),
    _prefixed("rubygems", "rubygems_", _H + "{48}"),
    _prefixed("crates-io", "cio", _A + "{32}" + _END, edge=True),
    _prefixed("nuget", "oy2", "[a-z0-9]{43}" + _END, edge=True),
    _prefixed("clojars", "CLOJARS_", "[a-z0-9]{60}"),
    _prefixed("artifactory", "AKCp", _A + "{69}" + _END, edge=True),
    _prefixed("artifactory", "cmVmd", _A + "{59}" + _END, edge=True),
    _prefixed("docker", "dckr_pat_ dckr_oat_", _W + "{20,}"),
    _prefixed("circleci", "CCIPAT_ CCIPRJ_", r"[A-Za-z0-9]{20,}_[0-9a-f]{40}"),
    _prefixed("buildkite", "bkua_", _H + "{40}", edge=True),
    _prefixed("harness", "pat. sat.", r"[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}", edge=True),
    _prefixed("octopus", "API-", "[A-Z0-9]{26}" + _END, edge=True),
    _prefixed("sourcegraph", "sgp_", r"(?:(?:[0-9a-fA-F]{16}|local)_)?[0-9a-fA-F]{40}", edge=True),
    _prefixed("sourcegraph", "sgamp_user_", r"[A-Za-z0-9]{20,30}_[0-9a-f]{64}"),
    _prefixed("sonar", "squ_ sqp_ sqa_", _H + "{40}" + _END, edge=True),
    _prefixed(
        "infisical", "st.", _H + "{8}(?:-" + _H + r"{4}){3}-" + _H + r"{12}\.[0-9a-f]{32}\.[0-9a-f]{32}", edge=True
    ),
    _prefixed("infracost", "ico-", _A + "{32}" + _END, edge=True),
    _prefixed("prefect", "pnu_", _A + "{36}" + _END, edge=True),
    _prefixed("pulumi", "pul-", _H + "{40}" + _END, edge=True),
    _prefixed("readme", "rdme_", "[a-z0-9]{70}", edge=True),
    Shape("terraform", ("atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}", edge=True, back=15),
    _prefixed("doppler", "dp.", r"(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,}", edge=True),
    _prefixed("vault", "hvs. hvb. hvr.", _W + "{24,}", edge=True),
    Shape("vault", ("s.",), r"s\.[A-Za-z0-9]{24}" + _END, edge=True, announced="[A-Za-z0-9]{10}"),
    _prefixed(
        "1password", "A3-", r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}", edge=True
    ),
    _prefixed("1password", "ops_eyJ", _B + "{100,}={0,3}"),
    _prefixed("age", "AGE-SECRET-KEY-1", "[A-Z0-9]{58}"),
    _prefixed("unkey", "unkey_", _W + "{16,}", edge=True),
    _prefixed("launchdarkly", "sdk- mob- api-", _H + "{8}(?:-" + _H + "{4}){3}-" + _H + "{12}", edge=True),
    # messages and mail
    _prefixed(
        "slack",
        "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp- xoxe.xoxb- xoxe.xoxp-",
        r"[A-Za-z0-9%-]{12,}",
    ),
    Shape(
        "slack-webhook",
        ("hooks.slack",),
        r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/+-]{20,})",
    ),
    Shape(
        "discord",
        (),
        r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,64}",
        edge=True,
        announced=r"[A-Za-z0-9_-]\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{16}",
    ),
    Shape(
        "discord-webhook",
        ("discord.com/api", "discordapp.com/api"),
        r"discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/[0-9]{8,}/([A-Za-z0-9_-]{40,})",
    ),
    Shape(
        "teams-webhook",
        ("webhook.office.com/",),
        r"webhook\.office\.com/webhookb2/[0-9a-z@-]{60,}/IncomingWebhook/([0-9a-z]{32}/[0-9a-z-]{36})",
    ),
    Shape("zapier-webhook", ("hooks.zapier.com/",), r"hooks\.zapier\.com/hooks/catch/([0-9]+/[A-Za-z0-9]{6,})"),
    Shape("telegram", (":AA",), r"(?<![0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{32,34}(?![A-Za-z0-9_-])", back=10),
    _prefixed("sendgrid", "SG.", r"[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}", edge=True),
    _prefixed("twilio", "SK", r"[0-9a-f]{32}" + _END, edge=True),
    _prefixed("mailgun", "key-", _H + "{32}" + _END, edge=True),
    Shape("mailchimp", ("-us",), r"(?<![0-9a-f])[0-9a-f]{32}-us[0-9]{1,2}" + _END, back=32, announced="[0-9]"),
    _prefixed("mailersend", "mlsn.", _H + "{64}"),
    _prefixed("brevo", "xkeysib- xsmtpsib-", _H + "{64}-" + _A + "{16}"),
    _prefixed("resend", "re_", r"[A-Za-z0-9]{6,12}_[A-Za-z0-9]{20,}", edge=True),
    # money and shops
    _prefixed("stripe", "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_", _W + "{16,}"),
    _prefixed("stripe", "whsec_", _B + "{24,}={0,2}"),
    _prefixed("shopify", "shpat_ shpca_ shppa_ shpss_ shpua_", r"[0-9a-fA-F]{32}"),
    _prefixed("square", "sq0atp- sq0csp-", _W + "{22,60}", edge=True),
    _prefixed("square", "EAAA", _W + "{60}" + _END, edge=True),
    _prefixed("facebook", "EAAM EAAC EAAB", _A + "{90,}", edge=True),
    _prefixed("razorpay", "rzp_live_ rzp_test_", _A + "{14,}", edge=True),
    _prefixed("paypal", "access_token$production$ access_token$sandbox$", r"[0-9a-z]{16}\$[0-9a-f]{32}"),
    _prefixed(
        "plaid",
        "access-sandbox- access-development- access-production-",
        _H + "{8}(?:-" + _H + "{4}){3}-" + _H + "{12}",
    ),
    _prefixed("flutterwave", "FLWSECK_TEST- FLWSECK-", r"[a-h0-9]{12,32}(?:-X)?"),
    _prefixed("duffel", "duffel_test_ duffel_live_", r"[A-Za-z0-9_=-]{43}"),
    _prefixed("easypost", "EZAK EZTK", _A + "{54}" + _END, edge=True),
    _prefixed("shippo", "shippo_live_ shippo_test_", r"[0-9a-fA-F]{40}"),
    _prefixed("gocardless", "live_", r"[A-Za-z0-9_=-]{40}" + _END, edge=True),
    _prefixed("lob", "live_ test_", _H + "{35}" + _END, edge=True),
    _prefixed("polar", "polar_oat_ polar_pat_", _W + "{40,}"),
    _prefixed("paddle", "pdl_live_apikey_ pdl_sdbx_apikey_", r"[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}"),
    _prefixed("mollie", "live_", _A + "{30}" + _END, edge=True),
    _prefixed("svix", "testsk_", r"[A-Za-z0-9]{32}\.(?:us|eu|in|ca|au)" + _END, edge=True),
    # services
    _prefixed("linear", "lin_api_ lin_oauth_", _A + "{32,}"),
    _prefixed("notion", "ntn_", _A + "{40,}", edge=True),
    _prefixed("notion", "secret_", _A + "{43}" + _END, edge=True),
    _prefixed("figma", "figd_ figo_ figu_", _W + "{36,}", edge=True),
    Shape(
        "airtable",
        ("pat",),
        r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}" + _END,
        edge=True,
        announced=r"[A-Za-z0-9]+\.[0-9a-f]{8}",
    ),
    _prefixed("asana", "1/ 2/", r"[0-9]{13,20}(?:/[0-9]{13,20})?:[0-9a-f]{32}" + _END, edge=True),
    _prefixed("hubspot", "pat-na1- pat-eu1- pat-na2- pat-ap1-", _H + "{8}(?:-" + _H + "{4}){3}-" + _H + "{12}"),
    _prefixed("contentful", "CFPAT-", _W + "{40,}"),
    _prefixed("dropbox", "sl.", r"[A-Za-z0-9_=.-]{120,}", edge=True),
    _prefixed("typeform", "tfp_", r"[A-Za-z0-9_.=-]{59}", edge=True),
    _prefixed("clickup", "pk_", r"[0-9]{6,10}_[A-Z0-9]{32}" + _END, edge=True),
    _prefixed("postman", "PMAK-", _H + "{24}-" + _H + "{34}", edge=True),
    _prefixed("newrelic", "NRAK-", "[A-Z0-9]{27}" + _END, edge=True),
    _prefixed("newrelic", "NRII- NRJS- NRRA-", r"[A-Za-z0-9_-]{19,42}", edge=True),
    _prefixed("grafana", "glsa_", _A + "{32}_[0-9a-fA-F]{8}", edge=True),
    _prefixed("grafana", "glc_", _B + "{32,}={0,3}", edge=True),
    _prefixed("grafana", "eyJrIjoi", _A + "{60,}={0,3}", edge=True),
    _prefixed("dynatrace", "dt0c01. dt0s16. dt0s01.", r"[A-Z0-9a-z]{24}\.[A-Z0-9a-z]{64}"),
    _prefixed("sentry", "sntrys_ sntryu_", "[A-Za-z0-9+/=_-]{40,}"),
    Shape(
        "sentry",
        (),
        r"://([0-9a-f]{32})(?::[0-9a-f]{32})?@[A-Za-z0-9.-]{0,80}?(?:sentry|ingest)",
        announced="[0-9a-f]{8}(?::[0-9a-f]+)?@[A-Za-z0-9.-]*(?:sentry|ingest)",
    ),
    _prefixed("posthog", "phx_", _A + "{40,}", edge=True),
    _prefixed("segment", "sgp_", _A + "{64}" + _END, edge=True),
    _prefixed("honeycomb", "hcaik_ hcbik_ hcxik_ hcxmk_", "[a-z0-9]{40,}", edge=True),
    _prefixed("logfire", "pylf_v1_ pylf_v2_", r"[a-z]{2,8}_[A-Za-z0-9]{40,}"),
    _prefixed("instagram", "IGQV IGAA", r"[A-Za-z0-9_-]{90,}", edge=True),
    Shape(
        "rapidapi",
        ("jsn",),
        r"[0-9a-z]{10}msh[0-9a-z]{15}p1[0-9a-f]{6}jsn[0-9a-f]{12}" + _END,
        edge=True,
        back=36,
        announced="[0-9a-f]{8}",
    ),
    _prefixed("adobe", "p8e-", _A + "{32}" + _END, edge=True),
    _prefixed("apify", "apify_api_", _A + "{30,}"),
    _prefixed("wakatime", "waka_", _H + "{8}(?:-" + _H + "{4}){3}-" + _H + "{12}", edge=True),
    _prefixed("frameio", "fio-u-", r"[A-Za-z0-9_=-]{64}"),
    _prefixed("defined-networking", "dnkey-", r"[A-Za-z0-9_=-]{26}-[A-Za-z0-9_=-]{52}", edge=True),
    _prefixed("intra42", "s-s4t2ud- s-s4t2af-", _H + "{64}"),
    _prefixed("settlemint", "sm_aat_ sm_pat_ sm_sat_", _A + "{16}" + _END, edge=True),
    Shape("maxmind", ("_mmk",), r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk" + _END, edge=True, back=36),
    Shape("mapbox", ("sk.eyJ",), r"sk\.eyJ[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{20,}", edge=True),
    Shape(
        "authress",
        ("acc_", "acc-"),
        r"(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,120}",
        back=48,
    ),
    Shape(
        "jwt",
        ("eyJ",),
        r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}",
    ),
    _prefixed("jwt", "ZXlK", _A + r"[A-Za-z0-9/+_-]{60,}={0,2}", edge=True),
    Shape(
        "private-key", ("LS0tLS1CRUdJTi",), r"LS0tLS1CRUdJTi(?:[A-Za-z0-9+/]|(?:\\n|\s)(?=[A-Za-z0-9+/]{4})){60,}={0,2}"
    ),
)


@cache
def compiled(pattern: str, flags: int = re.ASCII) -> re.Pattern[str]:
    """Compiled on first use: a hook that meets no secret compiles the prefilter and nothing else."""
    return re.compile(pattern, flags)
