"""How to reach an endpoint, and how its key and all other secrets are kept out of every text."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import unquote, urlsplit

from hm_agent.bounds import MAX_MESSAGE, MAX_SCRUBBED
from hm_agent.models.endpoint.surroundings import headers_of_environment, proxy_for
from hm_agent.models.prices import OPENAI
from hm_agent.process.shell import printable

MIN_SECRET = 8
"""Characters from which a key is removed from all texts; a shorter one is a word like `EMPTY`."""
SCHEME = re.compile(r"(bearer|basic|token|key) +", re.IGNORECASE)
"""What may stand before a key in the value of a header."""
PAUSE = 1.0
"""Default seconds to wait after a response that is no completion."""


@dataclass(frozen=True)
class EndpointSettings:
    """How to reach an endpoint.

    key: None if it needs none; it must not appear in any text, nor must the values of headers. timeout: seconds from
    sending a request to the last byte of its response. retries: of a failed call. pause: seconds to wait after a
    response that is no completion.
    """

    base_url: str | None
    key: str | None = field(repr=False)
    timeout: float
    retries: int
    pause: float = PAUSE
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def url(self) -> str:
        return self.base_url or OPENAI

    @property
    def host(self) -> str:
        """The host and port, for messages: the whole URL may hold a password."""
        return urlsplit(self.url).netloc.rpartition("@")[2]

    @property
    def proxy(self) -> str:
        """` through the proxy ...` if the environment names one for this endpoint."""
        found = proxy_for(self.url)
        return f" through the proxy {found}" if found else ""

    @cached_property
    def own_headers(self) -> Sequence[tuple[str, str]]:
        """Names and values of all headers that the user adds, here or by variables of the environment."""
        return [*self.headers.items(), *headers_of_environment().items()]

    def hide_secrets(self, text: str) -> str:
        for secret in self._secrets:
            text = secret.sub("[key]", text)
        return text

    @cached_property
    def _secrets(self) -> Sequence[re.Pattern[str]]:
        """Patterns of the key, the URL's password and the headers' values, longest first, also without their schemes.

        They match a secret however its characters are escaped.
        """
        values = [self.key or "", *_passwords(self.url), *(value for _, value in self.own_headers)]
        bare = [SCHEME.sub("", value, count=1) for value in values if SCHEME.match(value)]
        secrets = sorted((each for each in {*values, *bare} if _is_secret(each)), key=len, reverse=True)
        return [re.compile("".join(map(_however_escaped, secret))) for secret in secrets]

    def told(self, text: str) -> str:
        """An endpoint's words as users may read them: in one line, short, without keys and control characters."""
        return printable(" ".join(self.hide_secrets(text[:MAX_SCRUBBED]).split()))[:MAX_MESSAGE]


def _passwords(url: str) -> Sequence[str]:
    """The password in a URL, and with its name as the client sends both (RFC 7617); none without."""
    parts = urlsplit(url)
    if not parts.password:
        return ()
    name, password = unquote(parts.username or ""), unquote(parts.password)
    return password, b64encode(f"{name}:{password}".encode()).decode()


def _is_secret(value: str) -> bool:
    """False for a short or plain word, which texts may have for other reasons."""
    return len(value) >= MIN_SECRET and not value.isalpha()


def _however_escaped(sign: str) -> str:
    """A pattern of a character as it is or as escaped in URLs, JSON, HTML and shells, also more than once."""
    code, plain = ord(sign), re.escape(sign)
    in_url = "".join(f"%(?:25)*(?i:{byte:02x})" for byte in sign.encode())
    in_json = rf"\\\\*(?:u(?i:{code:04x})|x(?i:{code:02x})|{plain})"
    return rf"(?:{plain}|{in_url}|{in_json}|&#(?:(?i:x0*{code:x})|0*{code});)"
