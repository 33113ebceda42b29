// The tokens that say themselves what they are: every vendor's prefix, alphabet and length.
// A list of facts; how they are looked for is in tokens.ts. A length is the least that is believed, not the exact one:
// vendors lengthen their tokens.
import {
  ALNUM,
  BASE64,
  CAPITALS,
  DASH,
  DIGIT,
  DOT,
  EQUALS,
  HEX,
  PERCENT,
  TILDE,
  UNDERSCORE,
  URL64,
  WORD,
} from "./characters.ts";

/** A literal, or at least `min` and at most `max` characters of a set. */
export type Part = string | { readonly set: number; readonly min: number; readonly max: number };

/** A token that begins with one of its prefixes (each of two characters or more). */
export interface Shape {
  readonly kind: string;
  readonly prefixes: readonly string[];
  readonly parts: readonly Part[];
}

/** A token known by something in its middle: a run of `before`, then a mark, then the parts. */
export interface MarkedShape {
  readonly kind: string;
  readonly before: { readonly set: number; readonly min: number; readonly max: number };
  /** Plain, and as it stands in a URL if that is different. */
  readonly marks: readonly string[];
  readonly parts: readonly Part[];
}

const of = (set: number, min: number, max = Infinity): Part => ({ set, min, max });
const shape = (kind: string, prefixes: string, ...parts: Part[]): Shape => ({
  kind,
  prefixes: prefixes.split(" "),
  parts,
});

const ENDPOINT = URL64 | DOT | BASE64 | TILDE | PERCENT;

export const SHAPES: readonly Shape[] = [
  shape("whetstone_key", "wst_", of(URL64, 16)),

  // Clouds and hosting
  shape("aws_access_key", "AKIA ASIA ABIA ACCA", of(CAPITALS, 16, 16)),
  shape("aws_access_key", "A3T", of(CAPITALS, 17, 17)),
  shape("aws_bedrock_key", "ABSKQmVkcm9ja0FQSUtleS", of(BASE64, 40)),
  shape("google_key", "AIza", of(URL64, 35)),
  shape("google_token", "GOCSPX-", of(URL64, 24)),
  shape("google_token", "ya29.", of(URL64 | DOT, 20)),
  shape("google_token", "1//0", of(URL64, 40)),
  shape("alibaba_key", "LTAI", of(ALNUM, 12, 30)),
  shape("digitalocean_token", "doo_v1_ dop_v1_ dor_v1_", of(HEX, 64)),
  shape("heroku_key", "HRKU-AA", of(URL64, 40)),
  shape("fly_token", "fo1_", of(URL64, 40)),
  shape("fly_token", "fm1a_ fm1r_ fm2_", of(BASE64, 80)),
  shape("netlify_token", "nfp_ nfc_ nfo_ nfu_", of(ALNUM, 36)),
  shape("cloudflare_key", "v1.0-", of(HEX, 24, 24), "-", of(HEX, 100)),
  shape("supabase_key", "sbp_", of(HEX, 40)),
  shape("supabase_key", "sb_secret_", of(URL64, 20)),
  shape("scalingo_token", "tk-us-", of(URL64, 40)),
  shape("tailscale_key", "tskey-", of(URL64, 20)),
  shape("yandex_key", "AQVN", of(URL64, 35)),
  shape("yandex_key", "t1.", of(URL64 | EQUALS, 8), ".", of(URL64 | EQUALS, 80)),
  shape("openshift_token", "sha256~", of(URL64, 40)),

  // Code, packages, builds
  shape("github_token", "ghp_ gho_ ghu_ ghs_ ghr_", of(ALNUM, 30)),
  shape("github_token", "github_pat_", of(WORD, 36)),
  shape(
    "gitlab_token",
    "glpat- gldt- glft- glffct- glimt- glagent- gloas- glptt- glrt- glsoat- glcbt-",
    of(URL64 | DOT, 20),
  ),
  shape("gitlab_token", "GR1348941", of(URL64, 20)),
  shape("gitlab_token", "gitlab_session=", of(ALNUM, 32)),
  shape("bitbucket_token", "ATBB ATCTT3", of(URL64 | EQUALS, 24)),
  shape("atlassian_token", "ATATT3", of(URL64 | EQUALS, 60)),
  shape("npm_token", "npm_", of(ALNUM, 36)),
  shape("pypi_token", "pypi-AgE", of(URL64, 50)),
  shape("rubygems_key", "rubygems_", of(HEX, 48)),
  shape("clojars_token", "CLOJARS_ clojars_", of(ALNUM, 60)),
  shape("nuget_key", "oy2", of(ALNUM, 43, 43)),
  shape("cargo_token", "cio", of(ALNUM, 32, 32)),
  shape("docker_token", "dckr_pat_ dckr_oat_", of(URL64, 20)),
  shape("artifactory_key", "AKCp", of(ALNUM, 60)),
  shape("artifactory_key", "cmVmd", of(ALNUM, 59)),
  shape("circleci_token", "CCIPAT_ CCIPRJ_", of(WORD, 40)),
  shape("buildkite_token", "bkua_ bkaj_", of(ALNUM, 32)),
  shape("octopus_key", "API-", of(CAPITALS, 26)),
  shape("postman_key", "PMAK-", of(HEX, 24, 24), "-", of(HEX, 34)),
  shape("sonar_token", "sqp_ squ_ sqa_", of(HEX, 40)),
  shape("sourcegraph_token", "sgp_", of(WORD, 40)),
  shape("pulumi_token", "pul-", of(HEX, 40)),
  shape("terraform_token", "atlasv1.", of(URL64 | EQUALS, 60)),
  shape("vault_token", "hvs. hvb. hvr.", of(URL64, 24)),
  shape("vault_token", "s.", of(ALNUM, 24, 24)),
  shape("doppler_token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", of(URL64 | DOT, 40)),
  shape("infracost_key", "ico-", of(ALNUM, 32)),
  shape("prefect_key", "pnu_ pnb_", of(ALNUM, 36)),
  shape("harness_key", "pat. sat.", of(URL64, 22, 22), ".", of(ALNUM, 24, 24), ".", of(ALNUM, 20)),
  shape("readme_key", "rdme_", of(ALNUM, 70)),
  shape("age_key", "AGE-SECRET-KEY-1", of(CAPITALS, 58)),
  shape("onepassword_key", "A3-", of(CAPITALS, 6, 6), "-", of(CAPITALS | DASH, 27, 40)),
  shape("onepassword_token", "ops_eyJ", of(BASE64, 100)),
  shape("defined_key", "dnkey-", of(URL64 | EQUALS, 60)),

  // Models
  shape("anthropic_key", "sk-ant-", of(URL64, 20)),
  shape("openai_key", "sk-", of(URL64, 20)),
  shape("huggingface_token", "hf_", of(ALNUM, 30)),
  shape("huggingface_token", "api_org_", of(ALNUM, 30)),
  shape("groq_key", "gsk_", of(ALNUM, 40)),
  shape("xai_key", "xai-", of(ALNUM, 60)),
  shape("perplexity_key", "pplx-", of(ALNUM, 40)),
  shape("replicate_key", "r8_", of(ALNUM, 32)),
  shape("cerebras_key", "csk-", of(ALNUM, 40)),
  shape("langsmith_key", "lsv2_pt_ lsv2_sk_", of(WORD, 32)),
  shape("pinecone_key", "pcsk_", of(WORD, 40)),

  // Messages
  shape(
    "slack_token",
    "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxc- xoxd- xapp-",
    of(URL64 | BASE64 | PERCENT, 10),
  ),
  shape("slack_token", "xoxe.xoxb- xoxe.xoxp-", of(URL64, 20)),
  shape(
    "slack_webhook",
    "hooks.slack.com/services hooks.slack.com/workflows hooks.slack.com/triggers hooks.slack.com%2F",
    of(ENDPOINT, 20),
  ),
  shape("teams_webhook", "webhook.office.com/webhookb2/", of(ENDPOINT, 20), "@", of(ENDPOINT, 20)),
  shape("teams_webhook", "webhook.office.com%2Fwebhookb2%2F", of(ENDPOINT, 60)),
  shape(
    "discord_webhook",
    "discord.com/api/webhooks/ discordapp.com/api/webhooks/",
    of(DIGIT, 15),
    "/",
    of(URL64, 40),
  ),
  shape("zapier_webhook", "hooks.zapier.com/hooks/catch", of(ENDPOINT, 8)),
  // A Discord token begins with the account number in base64; these are all the ways a number can begin.
  shape(
    "discord_token",
    "MT Mj Mz ND NT Nj Nz OD OT",
    of(ALNUM, 20, 28),
    ".",
    of(URL64, 6, 6),
    ".",
    of(URL64, 27, 45),
  ),
  shape("twilio_key", "SK", of(HEX, 32, 32)),
  shape("sendgrid_key", "SG.", of(URL64, 16), ".", of(URL64, 16)),
  shape("sendgrid_key", "SG.", of(URL64 | DOT | EQUALS, 60)),
  shape("brevo_key", "xkeysib- xsmtpsib-", of(HEX, 64, 64), "-", of(ALNUM, 16)),
  shape("mailgun_key", "key- pubkey-", of(HEX, 32, 32)),

  // Money, shops, parcels
  shape("stripe_key", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_", of(ALNUM, 10)),
  shape("stripe_key", "whsec_", of(BASE64 | URL64, 20)),
  shape("square_token", "EAAA", of(URL64, 40, 64)),
  shape("square_token", "sq0atp- sq0csp-", of(URL64, 22)),
  shape("facebook_token", "EAAM EAAC EAAB", of(ALNUM, 80)),
  shape("shopify_token", "shpat_ shpca_ shppa_ shpss_ shptka_", of(HEX, 32)),
  shape("shippo_token", "shippo_live_ shippo_test_", of(HEX, 40)),
  shape("easypost_key", "EZAK EZTK", of(ALNUM, 54)),
  shape("lob_key", "live_ test_", of(HEX, 35, 35)),
  shape("lob_key", "live_pub_ test_pub_", of(HEX, 31, 31)),
  shape("gocardless_token", "live_", of(URL64 | EQUALS, 40, 44)),
  shape("duffel_token", "duffel_live_ duffel_test_", of(URL64 | EQUALS, 40)),
  shape("flutterwave_key", "FLWSECK_TEST- FLWSECK- FLWPUBK_TEST- FLWPUBK-", of(ALNUM, 12)),
  shape(
    "braintree_token",
    "access_token$production$ access_token$sandbox$",
    of(ALNUM, 16, 16),
    "$",
    of(HEX, 32),
  ),
  shape("plaid_token", "access-sandbox- access-development- access-production-", of(HEX | DASH, 36, 36)),
  shape("adyen_key", "AQE", of(BASE64 | DASH, 90)),

  // Watching, planning, drawing, storing
  shape("newrelic_key", "NRJS- NRII- NRAK- NRRA- NRAL- NRIQ-", of(ALNUM | DASH, 19)),
  shape("grafana_token", "glsa_", of(WORD, 32)),
  shape("grafana_token", "glc_", of(BASE64, 32)),
  shape("grafana_token", "eyJrIjoi", of(BASE64, 60)),
  shape("sentry_token", "sntrys_ sntryu_", of(BASE64 | UNDERSCORE, 40)),
  shape("dynatrace_token", "dt0c01. dt0s16.", of(ALNUM, 24, 24), ".", of(ALNUM, 64)),
  shape("databricks_token", "dapi", of(HEX, 32, 32)),
  shape("clickhouse_key", "4b1d", of(ALNUM, 38, 38)),
  shape("planetscale_token", "pscale_tkn_ pscale_oauth_ pscale_pw_", of(URL64 | DOT | EQUALS, 32)),
  shape("linear_key", "lin_api_ lin_oauth_", of(ALNUM, 32)),
  shape("notion_token", "ntn_", of(ALNUM, 40)),
  shape("notion_token", "secret_", of(ALNUM, 43, 43)),
  shape("airtable_token", "pat", of(ALNUM, 14, 14), ".", of(HEX, 64)),
  shape("contentful_token", "CFPAT-", of(URL64, 40)),
  shape("figma_token", "figd_", of(URL64, 30)),
  shape("frameio_token", "fio-u-", of(URL64 | EQUALS, 60)),
  shape("typeform_token", "tfp_", of(URL64 | DOT | EQUALS, 40)),
  shape("mapbox_token", "pk. sk. tk.", of(ALNUM, 50), ".", of(URL64, 20)),
  shape("dropbox_token", "sl.", of(URL64 | EQUALS | DOT, 100)),
  shape("adobe_secret", "p8e-", of(ALNUM, 32)),
  shape(
    "authress_key",
    "sc_ ext_ scauth_ authress_",
    of(ALNUM, 5, 30),
    ".",
    of(ALNUM, 4, 6),
    ".acc",
    of(URL64, 10),
    ".",
    of(BASE64 | URL64, 30),
  ),
  shape("settlemint_token", "sm_aat_ sm_pat_ sm_sat_", of(ALNUM, 16)),
  shape("intra42_secret", "s-s4t2ud- s-s4t2af-", of(HEX, 64)),

  // No vendor's
  shape("jwt", "eyJ", of(URL64, 8), ".", of(URL64, 8), ".", of(URL64 | EQUALS, 0)),
  shape("jwt", "ZXlK", of(BASE64 | URL64, 60)),
];

export const MARKED_SHAPES: readonly MarkedShape[] = [
  {
    kind: "azure_secret",
    before: { set: WORD | TILDE | DOT, min: 4, max: 4 },
    marks: ["Q~"],
    parts: [of(URL64 | TILDE, 31, 34)],
  },
  {
    kind: "telegram_token",
    before: { set: DIGIT, min: 5, max: 16 },
    marks: [":A", "%3AA"],
    parts: [of(URL64, 33, 35)],
  },
  {
    kind: "facebook_token",
    before: { set: DIGIT, min: 15, max: 16 },
    marks: ["|", "%7C"],
    parts: [of(URL64, 27, 40)],
  },
  {
    kind: "terraform_token",
    before: { set: ALNUM, min: 14, max: 14 },
    marks: [".atlasv1."],
    parts: [of(URL64 | EQUALS, 60)],
  },
  { kind: "maxmind_key", before: { set: WORD, min: 36, max: 36 }, marks: ["_mmk"], parts: [] },
  { kind: "mailchimp_key", before: { set: HEX, min: 32, max: 32 }, marks: ["-us"], parts: [of(DIGIT, 1, 2)] },
];
