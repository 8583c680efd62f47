"""ID tokens: what holds, and every way in which one does not; the keys of an issuer that rotates, lies or is down."""

import base64
import hashlib
import hmac
import json
import logging
import threading

import pytest
from cryptography.hazmat.primitives import serialization

from memory.errors import InvalidInput, IssuerDown, Unauthenticated
from memory.settings import Settings
from services import oidc
from services.fakes import SteppedClock
from services.issuer_keys import FRESH, KEPT, PAUSE, SECOND, IssuerKeys
from tests.issuer import AUDIENCE, NAME, FakeIssuer, jwk_of, rsa_key

ISSUER = FakeIssuer()
GOOD = Settings(oidc_issuer=NAME, oidc_audience=AUDIENCE)


@pytest.fixture
def clock():
    return SteppedClock()


@pytest.fixture
def issuer():
    return ISSUER.begin_anew()


@pytest.fixture
def ours(issuer, clock):
    return oidc.configured(GOOD, clock, fetch=issuer.jwks)


def seconds(clock):
    return clock() / 1e6


def b64(value):
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


@pytest.mark.parametrize(("kid", "alg"), [("rsa", "RS256"), ("rsa", "PS384"), ("p256", "ES256"), ("p384", "ES384"),
                                          ("ed", "EdDSA")])  # fmt: skip
def test_a_token_of_the_issuer_names_its_person(ours, issuer, clock, kid, alg):
    who = ours.identify(issuer.token(seconds(clock), kid=kid, alg=alg))

    assert (who.issuer, who.subject, who.email) == (NAME, "ada", None)


WRONG_CLAIMS = {
    "another audience": {"aud": "somebody-else"},
    "no audience": {"aud": None},
    "an empty audience": {"aud": []},
    "an audience in an object": {"aud": {"memlane-client": True}},
    "several audiences without a party": {"aud": [AUDIENCE, "other"]},
    "several audiences and another party": {"aud": [AUDIENCE, "other"], "azp": "other"},
    "one audience and another party": {"azp": "other"},
    "another issuer": {"iss": "https://evil.test"},
    "an issuer with a slash": {"iss": f"{NAME}/"},
    "no issuer": {"iss": None},
    "no subject": {"sub": None},
    "an empty subject": {"sub": ""},
    "a subject that is a number": {"sub": 7},
    "a subject with a line break": {"sub": "ada\nroot"},
    "a subject of 300 characters": {"sub": "a" * 300},
    "no end": {"exp": None},
    "an end that is text": {"exp": "tomorrow"},
    "an end that is true": {"exp": True},
    "an end of 1970": {"exp": 1},
    "no beginning": {"iat": None},
    "a beginning that is text": {"iat": "now"},
}


@pytest.mark.parametrize("changed", WRONG_CLAIMS.values(), ids=WRONG_CLAIMS)
def test_a_token_with_wrong_claims_is_refused_with_the_words_of_any_other(ours, issuer, clock, changed):
    with pytest.raises(Unauthenticated) as refused:
        ours.identify(issuer.token(seconds(clock), **changed))

    assert refused.value.message == "This token is not valid here."
    assert refused.value.details == {}


@pytest.mark.parametrize("name", ["exp", "iat", "nbf"])
@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_time_that_is_no_number_is_refused(ours, issuer, clock, name, number):
    claims = json.dumps({**issuer.claims(seconds(clock)), name: 0}).replace(f'"{name}": 0', f'"{name}": {number}')
    head = b64({"alg": "RS256", "kid": "rsa"})
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding

    signed = f"{head}.{b64(claims.encode())}"
    signature = issuer.keys["rsa"].sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())

    with pytest.raises(Unauthenticated):
        ours.identify(f"{signed}.{b64(signature)}")


def test_a_token_ends_at_its_time_with_some_seconds_for_clocks_that_differ(ours, issuer, clock):
    token = issuer.token(seconds(clock), exp=int(seconds(clock)) + 10)

    clock.advance(39.9)
    assert ours.identify(token).subject == "ada"
    clock.advance(0.1)
    with pytest.raises(Unauthenticated):
        ours.identify(token)


@pytest.mark.parametrize("claim", ["nbf", "iat"])
def test_a_token_is_not_valid_before_its_time(ours, issuer, clock, claim):
    token = issuer.token(seconds(clock), **{claim: int(seconds(clock)) + 60})

    with pytest.raises(Unauthenticated):
        ours.identify(token)
    clock.advance(30)
    assert ours.identify(token).subject == "ada"


def public_bytes(issuer):
    return (
        issuer.keys["rsa"]
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )


def hmac_token(issuer, clock, secret, header):
    signed = f"{b64(header)}.{b64(issuer.claims(seconds(clock)))}"
    return f"{signed}.{b64(hmac.new(secret, signed.encode(), hashlib.sha256).digest())}"


@pytest.mark.parametrize("alg", ["HS256", "HS384", "hs256"])
def test_the_public_key_is_no_secret_to_sign_with(ours, issuer, clock, alg):
    for secret in (public_bytes(issuer), json.dumps(issuer.published[0]).encode(), b""):
        with pytest.raises(Unauthenticated):
            ours.identify(hmac_token(issuer, clock, secret, {"alg": alg, "kid": "rsa", "typ": "JWT"}))


@pytest.mark.parametrize("alg", ["none", "None", "NONE", "nOnE", "", None, 7, ["RS256"]])
def test_a_token_without_a_signature_is_refused(ours, issuer, clock, alg):
    body = f"{b64({'alg': alg, 'kid': 'rsa'})}.{b64(issuer.claims(seconds(clock)))}"

    for token in (f"{body}.", f"{body}.{b64(b'x')}"):
        with pytest.raises(Unauthenticated):
            ours.identify(token)


def test_a_key_that_the_token_brings_along_is_not_believed(ours, issuer, clock):
    mine = rsa_key()
    for header in ({"jwk": jwk_of(mine, "rsa")}, {"jku": "http://127.0.0.1:1/keys"}, {"x5u": "http://127.0.0.1:1/"}):
        with pytest.raises(Unauthenticated):
            ours.identify(issuer.token(seconds(clock), key=mine, header=header))


@pytest.mark.parametrize("header", [{"typ": "at+jwt"}, {"crit": ["exp"]}, {"crit": []}, {"typ": "logout+jwt"}])
def test_a_token_of_another_kind_is_refused(ours, issuer, clock, header):
    with pytest.raises(Unauthenticated):
        ours.identify(issuer.token(seconds(clock), header=header))


@pytest.mark.parametrize(("kid", "alg", "key"), [("p256", "RS256", "rsa"), ("rsa", "ES256", "p256"),
                                                 ("p384", "ES256", "p256"), ("ed", "RS256", "rsa")])  # fmt: skip
def test_a_key_checks_only_signatures_of_its_kind(ours, issuer, clock, kid, alg, key):
    with pytest.raises(Unauthenticated):
        ours.identify(issuer.token(seconds(clock), kid=kid, alg=alg, key=issuer.keys[key]))


@pytest.mark.parametrize("cut", [0, 1, 2])
def test_a_token_that_was_changed_is_refused(ours, issuer, clock, cut):
    parts = issuer.token(seconds(clock)).split(".")
    others = issuer.token(seconds(clock), sub="root", kid="rsa", header={"typ": "jwt"}).split(".")
    parts[cut] = others[cut]

    with pytest.raises(Unauthenticated):
        ours.identify(".".join(parts))


@pytest.mark.parametrize("token", ["..", "a.b.c", "é.b.c", "a" * 20_000 + ".b.c", f"{b64([1])}.{b64({})}.",
                                   f"{b64(b'[' * 5_000)}.b.c", f"{b64({'alg': 'RS256', 'kid': ['a']})}.e30.AA"],
                         ids=range(7))  # fmt: skip
def test_what_is_no_token_is_refused(ours, token):
    with pytest.raises(Unauthenticated):
        ours.identify(token)


@pytest.mark.parametrize(
    ("claims", "known"),
    [
        ({"email": "Ada@Example.org", "email_verified": True}, "ada@example.org"),
        ({"email": "ada@example.org"}, None),
        ({"email": "ada@example.org", "email_verified": False}, None),
        ({"email": "ada@example.org", "email_verified": "true"}, None),
        ({"email": "ada@example.org", "email_verified": 1}, None),
        ({"email": ["ada@example.org"], "email_verified": True}, None),
        ({"email": "no address", "email_verified": True}, None),
        # A Kelvin sign is a k to `str.lower`, and a dotless i is an I to others.
        ({"email": "\u212aate@example.org", "email_verified": True}, None),
        ({"email": "m\u0131ke@example.org", "email_verified": True}, None),
    ],
)
def test_an_address_counts_only_when_the_issuer_has_verified_it(ours, issuer, clock, claims, known):
    assert ours.identify(issuer.token(seconds(clock), **claims)).email == known


def test_an_unknown_key_leads_to_a_fetch_only_so_often(ours, issuer, clock):
    ours.identify(issuer.token(seconds(clock)))
    assert issuer.fetches == 1

    for _ in range(500):
        with pytest.raises(Unauthenticated):
            ours.identify(issuer.token(seconds(clock), kid="made-up", key=issuer.keys["rsa"]))
    assert issuer.fetches == 1
    clock.advance(PAUSE / SECOND)
    for _ in range(500):
        with pytest.raises(Unauthenticated):
            ours.identify(issuer.token(seconds(clock), kid="made-up", key=issuer.keys["rsa"]))
    assert issuer.fetches == 2


def test_a_key_that_is_new_is_found_and_one_that_was_taken_back_is_forgotten(ours, issuer, clock):
    old = issuer.token(seconds(clock), exp=int(seconds(clock)) + 100_000)
    assert ours.identify(old).subject == "ada"
    new = rsa_key()
    issuer.published = [jwk_of(new, "next")]
    clock.advance(PAUSE / SECOND)

    assert ours.identify(issuer.token(seconds(clock), kid="next", key=new)).subject == "ada"
    with pytest.raises(Unauthenticated):
        ours.identify(old)


def test_a_key_that_was_taken_back_is_believed_for_an_hour_at_most(ours, issuer, clock):
    token = issuer.token(seconds(clock), exp=int(seconds(clock)) + 100_000)
    ours.identify(token)
    issuer.published = [jwk_of(rsa_key(), "other")]

    clock.advance(FRESH / SECOND)
    with pytest.raises(Unauthenticated):
        ours.identify(token)


@pytest.mark.parametrize("broken", [OSError("down"), {"keys": 1}, [], "text", {"error": "x"}, ValueError("no JSON")],
                         ids=range(6))  # fmt: skip
def test_an_issuer_that_never_answered_is_said_to_be_down_and_asked_only_so_often(ours, issuer, clock, broken):
    issuer.broken = broken

    for _ in range(50):
        with pytest.raises(IssuerDown):
            ours.identify(issuer.token(seconds(clock)))
    assert issuer.fetches == 1
    issuer.broken = None
    clock.advance(10)
    assert ours.identify(issuer.token(seconds(clock))).subject == "ada"


def test_known_keys_outlive_an_issuer_that_is_down_for_a_day(ours, issuer, clock):
    ours.identify(issuer.token(seconds(clock)))
    issuer.broken = OSError("down")

    clock.advance((KEPT - SECOND) / SECOND)
    assert ours.identify(issuer.token(seconds(clock))).subject == "ada"
    clock.advance(1)
    with pytest.raises(IssuerDown):
        ours.identify(issuer.token(seconds(clock)))


def test_who_has_keys_does_not_wait_for_a_fetch_that_hangs(issuer, clock):
    begun, go_on = threading.Event(), threading.Event()

    def fetch():
        if issuer.fetches:
            begun.set()
            assert go_on.wait(20)
        return issuer.jwks()

    keys = IssuerKeys(fetch, clock)
    assert keys.find("rsa", "RS256") is not None
    clock.advance(FRESH / SECOND)
    hung = threading.Thread(target=keys.find, args=("made-up", "RS256"))
    hung.start()
    assert begun.wait(20)

    # The fetch goes on all the while: were it waited for, this would never come back.
    assert keys.find("rsa", "RS256") is not None
    assert keys.find("made-up", "RS256") is None
    go_on.set()
    hung.join(20)
    assert not hung.is_alive()


def test_keys_that_must_not_check_a_signature_are_left_out(issuer, clock):
    weak, mine, good = rsa_key(1024), issuer.keys["rsa"], rsa_key()
    from jwt.algorithms import RSAAlgorithm

    issuer.published = [
        jwk_of(weak, "weak"),
        {"kty": "oct", "kid": "shared", "k": "c2VjcmV0"},
        jwk_of(mine, "for encryption", use="enc"),
        {**json.loads(RSAAlgorithm.to_jwk(mine)), "kid": "private"},
        {"kty": "RSA", "kid": "broken", "n": "!", "e": "AQAB"},
        {"kty": "EC", "crv": "secp256k1", "kid": "curve", "x": "AA", "y": "AA"},
        {"kty": "RSA", "kid": 7, "n": "AQAB", "e": "AQAB"},
        "no key",
        jwk_of(good, "bound", alg="RS512"),
    ]
    keys = IssuerKeys(issuer.jwks, clock)

    for kid in ("weak", "shared", "for encryption", "private", "broken", "curve"):
        assert [keys.find(kid, alg) for alg in ("RS256", "ES256", "HS256")] == [None] * 3, kid
    assert keys.find("bound", "RS256") is None
    assert keys.find("bound", "RS512") is not None


def test_a_token_that_names_no_key_needs_an_issuer_with_one_that_fits(ours, issuer, clock):
    assert ours.identify(issuer.token(seconds(clock), kid=None, key=issuer.keys["rsa"])).subject == "ada"
    issuer.published.append(jwk_of(rsa_key(), "second"))
    clock.advance(FRESH / SECOND)

    with pytest.raises(Unauthenticated):
        ours.identify(issuer.token(seconds(clock), kid=None, key=issuer.keys["rsa"]))


def test_two_keys_of_one_name_are_none(ours, issuer, clock):
    issuer.published.append(jwk_of(rsa_key(), "rsa"))

    with pytest.raises(Unauthenticated):
        ours.identify(issuer.token(seconds(clock)))


def test_the_log_says_why_and_nothing_of_the_token(ours, issuer, clock, caplog):
    token = issuer.token(seconds(clock), aud="other-audience", sub="secret-subject")

    with caplog.at_level(logging.DEBUG), pytest.raises(Unauthenticated):
        ours.identify(token)

    assert "another issuer or for another audience" in caplog.text
    for part in (*token.split("."), "other-audience", "secret-subject"):
        assert part not in caplog.text


def test_administrators_are_named_by_subject_or_verified_address(issuer, clock):
    ours = oidc.configured(
        Settings(oidc_issuer=NAME, oidc_audience=AUDIENCE, oidc_admins="root-1, Boss@Example.org"),
        clock, fetch=issuer.jwks,
    )  # fmt: skip

    def admin(**claims):
        return ours.is_admin(ours.identify(issuer.token(seconds(clock), **claims)))

    assert admin(sub="root-1")
    assert admin(email="boss@example.org", email_verified=True)
    assert not admin(email="boss@example.org")
    assert not admin(sub="boss@example.org")
    assert not admin(sub="ROOT-1")
    assert not admin()


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"oidc_audience": ""}, "MEMLANE_OIDC_AUDIENCE"),
        ({"oidc_issuer": "http://issuer.test"}, "MEMLANE_OIDC_ISSUER"),
        ({"oidc_issuer": "issuer.test"}, "MEMLANE_OIDC_ISSUER"),
        ({"oidc_jwks_url": "ftp://issuer.test/keys"}, "MEMLANE_OIDC_JWKS_URL"),
        ({"oidc_jwks_url": "http://127.0.0.1.evil.test/keys"}, "MEMLANE_OIDC_JWKS_URL"),
    ],
)
def test_settings_that_would_believe_anybody_are_refused(clock, changed, field):
    with pytest.raises(InvalidInput) as refused:
        oidc.configured(Settings(**{"oidc_issuer": NAME, "oidc_audience": AUDIENCE, **changed}), clock)

    assert refused.value.details["field"] == field


def test_without_an_issuer_nobody_is_signed_in(clock):
    assert oidc.configured(Settings(), clock) is None
