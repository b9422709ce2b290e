"""Checks what the environment says of the way to an endpoint: proxies, certificates, and headers of requests."""

from __future__ import annotations

import os
import ssl
from collections.abc import Mapping
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from hm_agent.config import ConfigError
from hm_agent.storage.files import open_regular

LOOPBACK = ("localhost", "127.0.0.1", "::1")
WEB = ("http", "https")
SOCKS = ("socks5", "socks5h")
CERTIFICATES: Mapping[str, str] = {"SSL_CERT_FILE": "cafile", "SSL_CERT_DIR": "capath"}
"""The variables that replace the system's certificates, and how `ssl` calls what they name."""
KEY_LOG = "SSLKEYLOGFILE"
"""The file to which `ssl` writes the keys of connections, for those who want to read along."""
OWN_HEADERS = "OPENAI_CUSTOM_HEADERS"
"""The variable that holds a header in each line."""
HEADERS: Mapping[str, str] = {"OPENAI_ORG_ID": "OpenAI-Organization", "OPENAI_PROJECT_ID": "OpenAI-Project"}
"""The variables that each hold the value of one header, with its name."""


def proxy_for(url: str) -> str | None:
    """The variable and address of the proxy that requests to a URL go through, without its password; None without."""
    parts, proxies = urlsplit(url), getproxies()
    if proxy_bypass(parts.netloc.rpartition("@")[2]) or _bypassed(parts.hostname, proxies):
        return None
    kind = next((kind for kind in (parts.scheme, "all") if proxies.get(kind)), None)
    return None if kind is None else f"{kind.upper()}_PROXY={_shown(proxies[kind])}"


def _bypassed(host: str | None, proxies: Mapping[str, str]) -> bool:
    return host is not None and host in (name.strip(" []") for name in proxies.get("no", "").split(","))


def _shown(proxy: str) -> str:
    """A proxy's address without name and password."""
    scheme, _, address = proxy.rpartition("://")
    return (f"{scheme}://" if scheme else "") + address.rpartition("@")[2]


def check_surroundings(url: str) -> None:
    """Raises ConfigError for a variable of the environment with which no request to the URL can be sent.

    All proxies are checked, since the client opens all of them.
    """
    for kind, proxy in getproxies().items():
        if kind in (*WEB, "all") and proxy:
            _check_proxy(f"{kind.upper()}_PROXY={_shown(proxy)}", proxy)
    if is_on_this_machine(url) and (named := proxy_for(url)) and not is_on_this_machine(named.partition("=")[2]):
        raise ConfigError(
            f"{named} stands between here and --base_url={urlsplit(url).netloc.rpartition('@')[2]}, which is on this "
            f"machine: set NO_PROXY={','.join(LOOPBACK)}"
        )
    for variable in (*HEADERS, OWN_HEADERS):
        # What stands there may be secret, so that no message shows it.
        if not all(line.isascii() and line.isprintable() for line in os.environ.get(variable, "").split("\n")):
            raise ConfigError(f"{variable} of the environment has characters that no header can hold")
    if path := os.environ.get(KEY_LOG):
        _check_key_log(path)
    for variable, argument in CERTIFICATES.items():
        if path := os.environ.get(variable):
            _check_certificates(f"{variable}={path}", {argument: path})
            return  # the client reads the first alone


def headers_of_environment() -> Mapping[str, str]:
    """The headers by name that the client adds to each request of its own accord; they may hold keys."""
    named = {header: os.environ.get(variable, "") for variable, header in HEADERS.items()}
    lines = (line.partition(":") for line in os.environ.get(OWN_HEADERS, "").split("\n"))
    return named | {name.strip(): value.strip() for name, colon, value in lines if colon}


def is_on_this_machine(address: str) -> bool:
    """True if the host of a URL, or of an address without a scheme, is this machine's own."""
    try:
        host = urlsplit(address if "://" in address else f"http://{address}").hostname or ""
        return host == LOOPBACK[0] or ip_address(host).is_loopback
    except ValueError:
        return False


def _check_proxy(named: str, proxy: str) -> None:
    scheme = scheme_of(proxy if "://" in proxy else f"http://{proxy}")
    if scheme not in (*WEB, *SOCKS):
        raise ConfigError(f"{named} of the environment is no proxy: it looks like http://localhost:3128")
    if scheme in SOCKS and find_spec("socksio") is None:
        raise ConfigError(f"{named} of the environment needs the package socksio: pip install socksio, or unset it")


def scheme_of(url: str) -> str | None:
    """The scheme of a URL; None if it has no host, or a port that there cannot be."""
    try:
        parts = urlsplit(url)
        return parts.scheme if parts.hostname and parts.port != 0 else None
    except ValueError:
        return None


def _check_key_log(path: str) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        if Path(path).is_fifo():
            raise OSError("it is no file")
        context.keylog_filename = path
    except OSError as error:
        raise _unusable(f"{KEY_LOG}={path}", error) from None


def _check_certificates(named: str, arguments: Mapping[str, str]) -> None:
    path = Path(next(iter(arguments.values())))
    try:
        if not path.is_dir():
            open_regular(path).close()
        ssl.create_default_context(cafile=arguments.get("cafile"), capath=arguments.get("capath"))
    except OSError as error:  # ssl.SSLError is one
        raise _unusable(named, error) from None


def _unusable(named: str, error: OSError) -> ConfigError:
    return ConfigError(f"{named} of the environment: {error.strerror or error}; mend it, or unset it")
